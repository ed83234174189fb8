"""Count the house: python scripts/count_lines.py [root]. What is above its budget, in [tool.house] of pyproject.toml, is an error.

Code is every line that is neither blank, comment, docstring, import, ``__all__`` nor closing brackets alone. A room is a file or a folder at the top of a package, an
arrow the import of one room by another, a floor how far down a chain of arrows goes; types alone count as well. A circle is a set of
files that import each other. Complexity is McCabe's, as ruff counts it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SHELVES = ("adapters", "tools")
FOLDERS = ("seedsafe", *SHELVES, "benchmarks", "scripts", "demo", "examples", "docs")
HIGH = 12
"""A function of a higher complexity is listed."""


def files(folder: Path) -> list[Path]:
    """Return the modules below a folder, in order, without those that the linter is tried on."""
    return sorted(path for path in folder.rglob("*.py") if not {"_build", "lint_corpus"} & set(path.parts))


def code_lines(text: str) -> int:
    """Return how many lines of a module are code."""
    tree = ast.parse(text)
    apart: set[int] = set()
    for node in ast.walk(tree):
        is_text = (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_list = getattr(targets[0], "id", "") == "__all__"
        if is_text or is_list or isinstance(node, ast.Import | ast.ImportFrom):
            apart |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(number not in apart and not re.match(r"\s*(#|[\])},:]*$)", line) for number, line in lines)


def packages(root: Path) -> Iterator[Path]:
    """Yield the folders whose files import each other."""
    yield root / "seedsafe"
    for shelf in SHELVES:
        yield from sorted(path.parent for path in (root / shelf).glob("*/__init__.py"))
    yield from (root / name for name in ("benchmarks", "scripts", "demo", "docs/_ext", "tests"))


def imports(package: Path) -> dict[str, set[str]]:
    """Return which other files of a package each of its files imports, also for types alone, by dotted names."""
    names = {module_name(package, path): path for path in files(package)}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        wanted = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                home = node.module or ""
                if node.level:
                    own = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
                    home = ".".join([*own[: len(own) - node.level + 1], *filter(None, [node.module])])
                wanted |= {
                    longer if (longer := f"{home}.{alias.name}") in names else home for alias in node.names
                }
        alone = {
            f"{package.name}.{one}" for one in wanted
        }  # scripts that run by their paths import their neighbours
        found[name] = ((wanted | alone) & set(names)) - {name}
    return found


def module_name(package: Path, path: Path) -> str:
    """Return the dotted name of a file."""
    parts = [package.name, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of names of which each reaches each other one."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            new = arrows.get(ahead.pop(), set()) - seen
            seen |= new
            ahead += new
        return seen

    reach = {name: reached(name) for name in arrows}
    found: list[set[str]] = []
    for name in sorted(arrows):
        if name in reach[name] and not any(name in circle for circle in found):
            found.append({other for other in reach[name] if name in reach[other]})
    return found


def rooms(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return which rooms of a package each imports; the front door and the command line are none."""
    found: dict[str, set[str]] = {}
    for name, wanted in arrows.items():
        room = name.split(".")[1:2]
        if room and room[0] not in ("__init__", "__main__"):
            others = {one.split(".")[1] for one in wanted if "." in one} - {room[0]}
            found.setdefault(room[0], set()).update(others)
    return found


def floors(arrows: dict[str, set[str]]) -> int:
    """Return on how many floors rooms stand, those of one circle on one floor."""
    together = {name: min(circle) for circle in circles(arrows) for name in circle}
    merged: dict[str, set[str]] = {}
    for name, wanted in arrows.items():
        one = together.get(name, name)
        merged.setdefault(one, set()).update({together.get(other, other) for other in wanted} - {one})

    def floor(name: str) -> int:
        return 1 + max(map(floor, merged.get(name, ())), default=0)

    return max(map(floor, merged), default=0)


class Function(NamedTuple):
    """A function above HIGH, with its complexity."""

    path: str
    name: str
    complexity: int


def complex_functions(root: Path) -> list[Function]:
    """Return the functions above HIGH, wherever ruff is told to overlook one."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--ignore-noqa"]
    command += ["--select", "C901", "--output-format", "concise"]
    command += [
        "--config",
        f"lint.mccabe.max-complexity={HIGH}",
        *(f for f in FOLDERS if (root / f).exists()),
    ]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^(\S+?):\d+:\d+: C901 `(\S+)` is too complex \((\d+) ", said, re.MULTILINE)
    return sorted((Function(path, name, int(count)) for path, name, count in found), key=lambda one: -one[2])


class Interface(NamedTuple):
    """How many lines a folder has."""

    name: str
    files: int
    code: int
    total: int


def folder_lines(root: Path, name: str) -> Interface:
    """Return a folder's lines."""
    texts = [path.read_text(encoding="utf-8") for path in files(root / name)]
    return Interface(
        name, len(texts), sum(map(code_lines, texts)), sum(len(one.splitlines()) for one in texts)
    )


class Room(NamedTuple):
    """How many lines of code a room has, may have now, and is to have in the end."""

    name: str
    code: int
    now: int
    goal: int


def budgets(root: Path, name: str = "rooms") -> dict[str, Any]:
    """Return the budgets of the rooms, or of "internals", in pyproject.toml; older checkouts have none."""
    tool = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    return dict(tool.get("house", {}).get(name, {}))


def internals(root: Path) -> int:
    """Return how many uses of what Python and other libraries keep inside are listed."""
    listed = tomllib.loads((root / "tests" / "internals.toml").read_text(encoding="utf-8"))
    return sum(len(kinds) for kinds in listed.values() if isinstance(kinds, dict))


def by_rooms(root: Path) -> dict[Path, list[str]]:
    """Return the rooms that each file of the house is in: it should be one."""
    paths = [(root / path, name) for name, one in budgets(root).items() for path in one["paths"]]
    house = [file for folder in FOLDERS[:3] for file in files(root / folder)]
    return {file: [name for path, name in paths if path in (file, *file.parents)] for file in house}


def counted_rooms(root: Path) -> list[Room]:
    """Return the rooms, in the order of pyproject.toml."""
    code: Counter[str] = Counter()
    for file, names in by_rooms(root).items():
        code.update(dict.fromkeys(names, code_lines(file.read_text(encoding="utf-8"))))
    return [Room(name, code[name], one["now"], one["goal"]) for name, one in budgets(root).items()]


def faults(root: Path) -> Iterator[str]:
    """Yield what is wrong with the rooms: too many lines of code, or a file that is not in one."""
    for room in counted_rooms(root):
        if room.code > room.now:
            yield (
                f"{room.name} has {room.code:,} lines of code, {room.code - room.now:,} above its budget in [tool.house.rooms]: let others go, "
                "or move lines from another room's budget"
            )
    limit = budgets(root, "internals")
    if limit and internals(root) > limit["now"]:
        yield f"tests/internals.toml lists {internals(root)} uses, more than the {limit['now']} of [tool.house.internals]: let others go"
    for file, names in by_rooms(root).items() if budgets(root) else ():
        if len(names) != 1:
            yield f"{file.relative_to(root)} is in {' and '.join(names) or 'no room'}: name its folder once in [tool.house.rooms]"


def report(root: Path) -> Iterator[str]:
    """Yield the lines to print."""
    counted = [folder_lines(root, name) for name in FOLDERS]
    house = [sum(column) for column in zip(*(one[1:] for one in counted[:3]), strict=True)]
    yield f"{'':32}{'files':>7}{'code':>9}{'lines':>9}"
    for one in [*counted, Interface("seedsafe, adapters, tools", *house)]:
        yield f"{one.name:32}{one.files:7}{one.code:9,}{one.total:9,}"
    yield ""
    yield f"{'':32}{'rooms':>7}{'floors':>9}{'arrows':>9}{'circles':>9}"
    for package in packages(root):
        arrows = imports(package)
        inside = rooms(arrows)
        size, edges = len(inside), sum(map(len, inside.values()))
        yield f"{package.name:32}{size:7}{floors(inside):9}{edges:9}{len(circles(arrows)):9}"
        for circle in circles(arrows):
            yield f"    {', '.join(sorted(circle))}"
    yield ""
    if rooms_now := counted_rooms(root):
        yield f"{'room':32}{'code':>7}{'budget':>9}{'goal':>9}"
        total = Room(
            "together", *(sum(column) for column in zip(*(one[1:] for one in rooms_now), strict=True))
        )
        for room in [*rooms_now, total]:
            yield f"{room.name:32}{room.code:7,}{room.now:9,}{room.goal:9,}"
        yield ""
    if limit := budgets(root, "internals"):
        yield f"uses of others' internals: {internals(root)} of {limit['now']}, in the end {limit['goal']}"
    above = complex_functions(root)
    yield f"functions above {HIGH} by McCabe: {len(above)}"
    for one in above:
        yield f"    {one.complexity} {one.name} ({one.path})"


if __name__ == "__main__":
    house = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    print("\n".join(report(house)))
    sys.exit("\n".join(faults(house)) or None)
