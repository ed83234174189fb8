"""Append the golden values of what is new; refuse, and write nothing, where a stored value would change or vanish.

A new transform gets its pipelines in its case, in ``tests/cases/<family>.py``. ``python scripts/make_golden.py`` then appends
what they draw, and their pixels where these are exact on every machine, to ``tests/golden/<family>.json``.
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
    for file in contents:
        files.setdefault(file, {"decisions": {}, "pixels": {}})
    first = contents.get("decisions.json", {}).get("pipelines", {})
    home = {name: file for file, of in contents.items() if file not in FIRST for name in of["decisions"]}
    for name, (family, golden) in known.GOLDENS.items():
        drawn, pixels = known.decisions(golden), pixels_known.pixels(golden) if golden.exact else None
        if name in first:
            files["decisions.json"]["pipelines"][name] = drawn
            files["pixels.json"] |= {} if pixels is None else {name: pixels}
            continue
        of = files.setdefault(home.get(name, f"{family}.json"), {"decisions": {}, "pixels": {}})
        of["decisions"][name] = drawn
        of["pixels"] |= {} if pixels is None else {name: pixels}
    return files


def text(values: dict[str, Any]) -> str:
    """Return golden values as JSON, one pipeline a line."""
    parts = [
        f"{json.dumps(part)}: {{\n"
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in of.items())
        + "\n}"
        for part, of in values.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def main(folder: Path) -> None:
    """Append to the files of a folder."""
    new = {}
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
