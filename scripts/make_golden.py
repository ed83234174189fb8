"""Append the golden values of what is new; refuse, and write nothing, where a stored value would change or vanish.

A new transform gets its pipelines in ``tests/golden/<family>.py`` (PIPELINES: a Compose and a shape by name; EXACT: the
names whose pixels are exact on every machine). ``python scripts/make_golden.py`` then writes ``<family>.json`` beside it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import known
import pixels_known


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


def goldens() -> dict[str, Any]:
    """Return all golden values as computed now, by file."""
    made = {"decisions.json": known.decisions(), "pixels.json": pixels_known.pixels()}
    for name, family in known.families().items():
        made[f"{name}.json"] = {
            "decisions": known.family_decisions(family),
            "pixels": pixels_known.family_pixels(family),
        }
    return made


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
    for name, made in goldens().items():
        file = folder / name
        stored = json.loads(file.read_text()) if file.exists() else {}
        merged = appended(stored, made, name)
        if merged != stored:
            new[file] = json.dumps(merged, indent=1) + "\n" if name in FIRST else text(merged)
    for file, content in new.items():
        file.write_text(content)
        print(f"written: {file.name}")


FIRST = ("decisions.json", "pixels.json")
"""Written by the first release, one number a line."""

if __name__ == "__main__":
    try:
        main(known.GOLDEN)
    except ValueError as error:
        sys.exit(f"{error}: a golden value never changes; that would be a new version of the contract")
