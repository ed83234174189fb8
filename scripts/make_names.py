"""Write every list of public names: python scripts/make_names.py.

A transform is public if it is declared the library's own, stands in the ``__all__`` of its file and has an example in its
docstring; so is a plain function with an example. Of these are made ``seedsafe/image/__init__.py``, the same of audio and functional, their rows in
the table of ``seedsafe/__init__.py``, its stub, and the reference pages of transforms (in the families and the order of
tests/cases) and plain functions. The tables of ``docs/how-to/migrate*.md`` are made of the names that error messages know.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
CORE = ROOT / "seedsafe"
PAGES = ROOT / "docs" / "reference"
MIGRATION = [ROOT / "docs" / "how-to" / f"migrate{of}.md" for of in ("", "-imgaug", "-audio")]
WIDTH = 110

INTERNAL = {
    *(
        "apply_matrix",
        "channel_groups",
        "inverse",
        "look_up",
        "look_up_channels",
        "mean_value",
        "noise_parts",
    ),
    *(
        "part_of",
        "parts",
        "product",
        "put",
        "pixels",
        "scratch",
        "scratch_planes",
        "spectrogram_size",
        "stretched_length",
        "table",
    ),
}
"""Functions with an example that only the library itself calls."""

TONE = ("tone", "Tone")
SOUND = ("sound", "Audio: noise, filters, masks")
TEMPO = ("tempo", "Audio: tempo and pitch")
APART = {
    **dict.fromkeys(("tones", "histogram", "levels"), TONE),
    **dict.fromkeys(("seedsafe.audio.noise", "background", "bands", "masks"), SOUND),
    **dict.fromkeys(("seedsafe.audio.stretch", "seedsafe.audio.speed"), TEMPO),
}
"""Files whose transforms have a page besides their family's, which would be too long; with its name and title."""


def in_order(names: set[str]) -> list[str]:
    """Return names as ruff sorts them: constants, classes, functions."""
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def public(module: ModuleType) -> list[str]:
    """Return the public transforms or functions that a file defines."""
    from seedsafe.pipeline.primitive import marks_of

    def offered(name: str) -> bool:
        value = getattr(module, name)
        if getattr(value, "__module__", None) != module.__name__ or ">>>" not in (
            inspect.getdoc(value) or ""
        ):
            return False
        if inspect.isclass(value) and ".functional." not in module.__name__:
            return marks_of(value).own  # a base class has no example
        return callable(value) and name not in INTERNAL and not name.endswith("_each")  # those of batches

    return in_order({name for name in module.__all__ if offered(name)})


def found(room: str) -> dict[str, list[str]]:
    """Return the public names of each file of a room."""
    modules = (
        importlib.import_module(f"seedsafe.{room}.{one.name}")
        for one in pkgutil.iter_modules([str(CORE / room)])
    )
    return {module.__name__: names for module in modules if (names := public(module))}


def listed(start: str, items: list[str], brackets: str, end: str = "", *, bare: bool = False) -> str:
    """Return a list as ruff formats it: in one line if it fits there, without brackets if it may be bare."""
    one = ", ".join(items) + ("," if brackets == "()" and len(items) == 1 and not bare else "")
    line = f"{start}{one}" if bare else f"{start}{brackets[0]}{one}{brackets[1]}{end}"
    if len(line) <= WIDTH:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    return "\n".join(
        [start + brackets[0], *(f"{indent}    {item}," for item in items), indent + brackets[1] + end]
    )


def quoted(files: dict[str, list[str]]) -> list[str]:
    """Return all names of a room, as strings."""
    return [f'"{name}"' for name in in_order({name for names in files.values() for name in names})]


def package(room: str, files: dict[str, list[str]]) -> str:
    """Return a room's ``__init__.py``."""
    head = ast.get_docstring(ast.parse((CORE / room / "__init__.py").read_text()), clean=False)
    lines = [f'"""{head}"""', ""]
    lines += [listed(f"from {module} import ", names, "()", bare=True) for module, names in files.items()]
    lines += ["", listed("__all__ = ", quoted(files), "[]"), ""]
    return "\n".join(lines)


def table(files: dict[str, dict[str, list[str]]]) -> str:
    """Return ``seedsafe/__init__.py`` with its rows of image and audio."""
    text = (CORE / "__init__.py").read_text()
    for room in ("audio", "image"):
        row = listed(f'    "seedsafe.{room}": ', quoted(files[room]), "()", ",")
        text = re.sub(
            rf'    "seedsafe\.{room}": \(.*?\),\n',
            lambda _, row=row: row + "\n",
            text,
            count=1,
            flags=re.DOTALL,
        )
    return text


def stub() -> str:
    """Return the stub of the front door."""
    import seedsafe

    lines = [
        "# ruff: noqa",
        "# Made by scripts/make_names.py from the table in __init__.py: not to be edited.",
        "",
    ]
    lines += [f"from seedsafe import {name} as {name}" for name in seedsafe._MODULES]
    for room, names in seedsafe._ROOMS.items():
        lines += [f"from {room} import {name} as {name}" for name in sorted(names)]
    lines += [
        "",
        "__version__: str",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in seedsafe.__all__),
        "]",
    ]
    return "\n".join(lines) + "\n"


def directive(module: str) -> str:
    """Return what puts a file's names on a page."""
    return f"```{{eval-rst}}\n.. automodule:: {module}\n```\n"


def families() -> tuple[ModuleType, ...]:
    """Return the families of tests/cases that have a heading."""
    sys.path.insert(0, str(ROOT / "tests"))
    from cases import FAMILIES

    return tuple(family for family in FAMILIES if family.TITLE)


def pages_of_transforms() -> dict[Path, str]:
    """Return the reference pages of the transforms: one for each family, which keeps the text above its modules."""
    pages: dict[tuple[str, str], dict[str, None]] = {}
    for family in families():
        for module in dict.fromkeys(case.kind.__module__ for case in family.CASES):
            own = family.__name__.rpartition(".")[2], family.TITLE
            pages.setdefault(APART.get(module, APART.get(module.rpartition(".")[2], own)), {})[module] = None
    paths = {home: PAGES / "transforms" / f"{home[0]}.md" for home in pages}
    return {paths[home]: with_modules(paths[home], home[1], modules) for home, modules in pages.items()}


def with_modules(page: Path, title: str, modules: Iterable[str]) -> str:
    """Return a page with a directive for each module, below the text that it has, or else its title."""
    text = page.read_text() if page.exists() else f"# {title}\n"
    return "\n".join([text.partition("```{eval-rst}")[0].rstrip() + "\n", *map(directive, modules)])


def pages_of_functions(files: dict[str, list[str]]) -> dict[Path, str]:
    """Return the reference pages of the plain functions: each file is with the family whose transforms import it first."""
    used: dict[str, str] = {}
    for family in families():
        for module in dict.fromkeys(case.kind.__module__ for case in family.CASES):
            source = inspect.getsource(importlib.import_module(module))
            for one in files:
                room, _, short = one.rpartition(".")
                if re.search(rf"from ({re.escape(one)} import|{room} import .*\b{short}\b)", source):
                    used.setdefault(one, family.__name__.rpartition(".")[2])
    homes = {family.__name__.rpartition(".")[2]: family.TITLE for family in families()}
    return {
        page: with_modules(page, f"Functions: {title.lower()}", modules)
        for home, title in homes.items()
        if (modules := [one for one in files if used.get(one, "values") == home])
        for page in [PAGES / "functional" / f"{home}.md"]
    }


def with_names(page: Path) -> str:
    """Return a page on migration: its text, and below each library's heading a table of its names."""
    from seedsafe.ground.advice import names as elsewhere

    text = page.read_text()
    for library, names in elsewhere().items():
        rows = ["| there | here | what differs |", "|---|---|---|"]
        for name, meant in names.items():
            call = f"`{meant.call}`" if meant.call else "–"
            rows.append(f"| `{name}` | {call} | {meant.note} |")
        text = re.sub(
            rf"(?ms)(^## {library}\n.*?\n)\| there .*?(?=^(?!\|)|\Z)",
            lambda found, rows=rows: found[1] + "\n".join(rows) + "\n",
            text,
        )
    return text


def rooms() -> dict[Path, str]:
    """Return the files that the front door and its rooms are made of."""
    files = {room: found(room) for room in ("audio", "functional", "image")}
    return {CORE / room / "__init__.py": package(room, of) for room, of in files.items()} | {
        CORE / "__init__.py": table(files)
    }


def rest() -> dict[Path, str]:
    """Return the files that are made once the names above can be imported."""
    return {
        CORE / "__init__.pyi": stub(),
        **pages_of_transforms(),
        **pages_of_functions(found("functional")),
        **{page: with_names(page) for page in MIGRATION},
    }


def write(texts: dict[Path, str]) -> None:
    """Write the files that are not as they should be."""
    for path, text in texts.items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if "rest" in sys.argv:
        write(rest())
    else:
        for room in ("audio", "functional", "image"):  # their lists may name what is no longer there
            empty = ModuleType(f"seedsafe.{room}")
            empty.__path__ = [str(CORE / room)]
            sys.modules[empty.__name__] = empty
        write(rooms())
        subprocess.run([sys.executable, __file__, "rest"], check=True)  # a process that sees the new names
