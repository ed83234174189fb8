"""Print which extras resolve to wheels alone, by platform and Python: python scripts/resolve_extras.py [platform…], with uv on the path.

pip cannot: for another platform it still reads markers as those of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

PLATFORMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS 14 arm64": "aarch64-apple-darwin",
    "Windows x86-64": "x86_64-pc-windows-msvc",
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def problem(extra: str, platform: str, python: str) -> str:
    """Return why an extra has no wheels on a platform; "" if it has."""
    command = ["uv", "pip", "compile", "--quiet", "--no-config", "--no-build", "--extra", extra]
    command += ["--python-platform", platform, "--python-version", python, str(PROJECT)]
    environment = os.environ | {"MACOSX_DEPLOYMENT_TARGET": "14.0"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    return " ".join(done.stderr.split()) if done.returncode else ""


def main(platforms: list[str]) -> None:
    """Print a row for each extra, and each problem below."""
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    problems = []
    print(f"| extra | {' | '.join(platforms)} |\n|---|" + "---|" * len(platforms))
    for extra in extras:
        cells = []
        for name in platforms:
            found = {python: problem(extra, PLATFORMS[name], python) for python in PYTHONS}
            problems += [f"{extra}, {name}, {python}: {why}" for python, why in found.items() if why]
            able = [python for python, why in found.items() if not why]
            cells.append("yes" if able == list(PYTHONS) else ", ".join(able) or "no")
        print(f"| `{extra}` | {' | '.join(cells)} |", flush=True)
    print(*problems, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PLATFORMS))
