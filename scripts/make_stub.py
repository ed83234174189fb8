"""Write seedsafe/__init__.pyi, which types the lazy front door, from the table of names in seedsafe/__init__.py."""

from __future__ import annotations

from pathlib import Path

import seedsafe

STUB = Path(seedsafe.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the stub."""
    lines = [
        "# ruff: noqa",
        "# Made by scripts/make_stub.py from the table in __init__.py: not to be edited.",
        "",
    ]
    lines += [f"from seedsafe import {name} as {name}" for name in seedsafe._MODULES]
    for room, names in seedsafe._ROOMS.items():
        lines += [f"from {room} import {name} as {name}" for name in sorted(names)]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in seedsafe.__all__), "]"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUB.write_text(stub())
