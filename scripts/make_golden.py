"""Append the golden values of what is new; refuse, and write nothing, where a stored value would change or vanish.

A new transform gets its pipelines in its case, in ``tests/cases/<family>.py``. ``python scripts/make_golden.py`` then appends
what they draw, and their pixels where these are the same on every machine, to ``tests/golden/<family>.json``; and those that are the
same on machines of one architecture to ``tests/golden/architectures``, where each machine only adds to the file of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1])]

import known
import pixels_known
from known import FIRST

from seedsafe.ground.exactness import MACHINES


def appended(stored: Any, made: Any, path: str = "") -> Any:
    """Return what is stored with what is new behind it.

    Raises:
        ValueError: a stored value is another one now, or is no longer made.
    """
    if not (isinstance(stored, dict) and isinstance(made, dict)):
        if stored != made:
            raise ValueError(f"{path}: {stored!r} would become {made!r}")
        return stored
    for name in stored:
        if name not in made:
            raise ValueError(f"{path}/{name} is stored and no longer made")
    old = {name: appended(value, made[name], f"{path}/{name}") for name, value in stored.items()}
    return old | {name: value for name, value in made.items() if name not in old}


def made(contents: dict[str, Any]) -> dict[str, Any]:
    """Return all golden values as computed now, by file: where a pipeline is stored, or else in its family's file."""
    files: dict[str, Any] = {"decisions.json": known.addresses() | {"pipelines": {}}, "pixels.json": {}}
    for file, of in contents.items():
        kept = {name: one for name, one in of.get("decisions", {}).items() if name in known.NO_WHEEL}
        files.setdefault(file, {"decisions": kept, "pixels": {}})
    first = contents.get("decisions.json", {}).get("pipelines", {})
    home = {name: file for file, of in contents.items() if file not in FIRST for name in of["decisions"]}
    for name, (family, golden) in known.GOLDENS.items():
        drawn, pixels = known.decisions(golden), pixels_known.digests(name, golden, MACHINES)
        if name in first:
            files["decisions.json"]["pipelines"][name] = drawn
            files["pixels.json"] |= {name: pixels} if pixels else {}
            continue
        of = files.setdefault(home.get(name, f"{family}.json"), {"decisions": {}, "pixels": {}})
        of["decisions"][name] = drawn
        of["pixels"] |= {name: pixels} if pixels else {}
    return files


def lines(values: dict[str, Any]) -> str:
    """Return golden values as JSON, one a line."""
    return "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in values.items()) + "\n}"


def text(values: dict[str, Any]) -> str:
    """Return golden values as JSON, one pipeline a line."""
    return "{" + ",\n".join(f"{json.dumps(part)}: {lines(of)}" for part, of in values.items()) + "}\n"


def of_architecture(file: Path) -> str | None:
    """Return what the file of this machine's architecture becomes, or None if nothing is new."""
    stored = json.loads(file.read_text()) if file.exists() else {}
    merged = appended(stored, pixels_known.architecture(known.pipelines()), file.stem)
    return lines(merged) + "\n" if merged != stored else None


def main(folder: Path) -> None:
    """Append to the files of a folder."""
    new = {}
    here = folder / "architectures" / f"{pixels_known.HERE}.json"
    if (content := of_architecture(here)) is not None:
        new[here] = content
    contents = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    for name, values in made(contents).items():
        stored = contents.get(name, {})
        merged = appended(stored, values, name)
        if merged != stored:
            new[folder / name] = json.dumps(merged, indent=1) + "\n" if name in FIRST else text(merged)
    for file, content in new.items():
        file.write_text(content)
        print(f"written: {file.name}")


if __name__ == "__main__":
    try:
        main(known.GOLDEN)
    except ValueError as error:
        sys.exit(f"{error}: a golden value never changes; that would be a new version of the contract")
