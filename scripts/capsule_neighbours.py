"""Compare the capsule in throw-away environments with older and newer neighbours, and write the table of docs/reference/systems.md.

``make capsule`` runs all of them; ``python scripts/capsule_neighbours.py "Pillow 11" …`` some; ``--with pillow==14.0.0`` one more, of a new
release. Each writes what it found to .venvs/capsule/NAME.json, and ``--page`` makes the table of these files. An environment whose file is
there is not run again without ``--again``, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venvs" / "capsule"
PAGE = ROOT / "docs" / "reference" / "systems.md"
BEGIN, END = "<!--capsule-->", "<!--end of capsule-->"

MADE = {
    "numpy": "2.4.6",
    "opencv-python-headless": "5.0.0.93",
    "pillow": "13.0.0",
    "scipy": "1.17.1",
    "python-stretch": "0.3.1",
}
"""What the capsule was made with."""

OLD_PROCESSOR = {
    "OPENCV_CPU_DISABLE": "AVX,AVX2,FP16,FMA3,AVX512-SKX",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
    "OPENCV_IPP": "disabled",
    "SEEDSAFE_KERNELS": "0",
}
"""Without AVX2, AVX-512 and IPP, and without the kernels."""


NONE: Mapping[str, str] = MappingProxyType({})


class Neighbour(NamedTuple):
    """An environment: its Python, the versions that are others than those of the capsule, more libraries, and variables."""

    python: str = "python3.11"
    versions: Mapping[str, str] = NONE
    more: tuple[str, ...] = ()
    variables: Mapping[str, str] = NONE

    @property
    def requirements(self) -> list[str]:
        """What pip installs."""
        return [*(f"{name}=={one}" for name, one in {**MADE, **self.versions}.items()), *self.more]


OLDEST = {
    "numpy": "2.0.0",
    "opencv-python-headless": "4.13.0.90",
    "pillow": "11.0.0",
    "scipy": "1.13.0",
    "python-stretch": "0.3.0",
}
NEIGHBOURS = {
    "OpenCV 4.13": Neighbour(versions={"opencv-python-headless": "4.13.0.90"}),
    "an old processor": Neighbour(variables=OLD_PROCESSOR),
    "all the oldest": Neighbour(versions=OLDEST),
    "all the newest": Neighbour("python3.13", dict.fromkeys(MADE, "*")),
    "NumPy 2.1, Pillow 11": Neighbour(versions={"numpy": "2.1.*", "pillow": "11.0.0"}),
    "NumPy 2.2, Pillow 12, SciPy 1.13": Neighbour(
        versions={"numpy": "2.2.*", "pillow": "12.*", "scipy": "1.13.*"}
    ),
    "NumPy 2.3, Python 3.12": Neighbour("python3.12", {"numpy": "2.3.*"}),
    "torch 2.4": Neighbour(versions={"numpy": "2.0.*"}, more=("torch==2.4.0", "torchvision==0.19.0")),
    "the newest torch": Neighbour("python3.13", more=("torch", "torchvision")),
    "as it was made": Neighbour(),
}
"""Those whose bytes may differ first. Two libraries may share one: where nothing differs, neither does."""


def installed(name: str, one: Neighbour) -> Path:
    """Return the Python of an environment, which is made unless it is there."""
    key = "-".join([one.python, *one.requirements]).replace("python-stretch", "stretch")
    folder = FOLDER / "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in key)
    python = folder / "bin" / "python"
    if (folder / "made").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([one.python, "-m", "venv", folder], check=True)
    asked = [requirement.replace("==*", "") for requirement in one.requirements]
    print(f"{name}: {' '.join(asked)}", flush=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *asked], check=True
    )
    (folder / "made").touch()
    return python


def run(name: str, one: Neighbour, again: bool) -> int:
    """Compare in one environment, unless that was done, and return the status."""
    result = FOLDER / f"{name}.json"
    if result.exists() and not again:
        print(f"{name}: {result} is there; --again runs it again")
        return 0
    if not shutil.which(one.python) or subprocess.run([one.python, "-c", ""], check=False).returncode:
        print(f"{name} is not compared: there is no {one.python} here")
        return 0
    python = installed(name, one)
    print(f"{name}:", flush=True)
    command = [python, ROOT / "scripts" / "compare_capsule.py", "--result", result]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": "", **one.variables}, check=False
    ).returncode


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the part of the page: environments, and what is not equal in all of them; names of albumentations are as what they stand for."""
    lines = ["| | samples that are equal | of these rows all | by surprise |", "|---|---|---|---|"]
    differing: dict[str, dict[str, float]] = {}
    everything: set[str] = set()
    for name, one in found.items():
        equal, tried = (sum(row[at] for row in one["rows"].values()) for at in (0, 1))
        rows = {of: row for of, row in one["rows"].items() if not of.startswith("A.")}
        everything |= rows.keys()
        other = {of: 1 - row[0] / row[1] for of, row in rows.items() if row[0] < row[1]}
        surprises = sorted({row[0] for row in one["differing"] if row[5]})
        told = ", ".join(surprises) or "none"
        lines.append(
            f"| {name} | {equal:,} of {tried:,} | {len(rows) - len(other)} of {len(rows)} | {told} |"
        )
        for of, share in other.items():
            differing.setdefault(of, {})[name] = share
    equal = len(everything) - len(differing)
    share = equal / max(len(everything), 1)
    lines += [
        "",
        f"{equal} of {len(everything)} rows are equal in all of these, {share:.1%}. The others:",
        "",
    ]
    lines += ["| | the share of its samples that differ |", "|---|---|"]
    for of, where in sorted(differing.items()):
        shares = ", ".join(f"{name}: {share:.1%}" for name, share in where.items())
        lines.append(f"| `{of}` | {shares} |")
    return "\n".join(lines)


def write_page() -> int:
    """Write the table of what was found to the page, and return the status."""
    found = {name: FOLDER / f"{name}.json" for name in NEIGHBOURS}
    found |= {path.stem: path for path in sorted(FOLDER.glob("*.json"))}
    read = {name: json.loads(path.read_text()) for name, path in found.items() if path.exists()}
    if not read:
        print(f"{FOLDER} has no results: make capsule makes them; the page was not changed", file=sys.stderr)
        return 2
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        print(
            f"{PAGE} must have {BEGIN} and {END}, between which the table goes: write them", file=sys.stderr
        )
        return 2
    PAGE.write_text(f"{before}{begin}\n{table(read)}\n{end}{after}", encoding="utf-8")
    print(f"written: {PAGE}, of {len(read)} environments")
    return 0


def main(arguments: list[str]) -> int:
    """Compare in environments, and return the highest status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="environments; all of them without a name")
    parser.add_argument(
        "--with",
        dest="more",
        action="append",
        default=[],
        help="one more: a library and its version, pillow==14.0.0",
    )
    parser.add_argument("--again", action="store_true", help="run again what was run")
    parser.add_argument(
        "--page", action="store_true", help="write the table of what was found, and run nothing"
    )
    options = parser.parse_args(arguments)
    if options.page:
        return write_page()
    if unknown := set(options.names) - set(NEIGHBOURS):
        parser.error(f"there is no {', '.join(sorted(unknown))}: names are {', '.join(NEIGHBOURS)}")
    chosen = {name: NEIGHBOURS[name] for name in options.names or (() if options.more else NEIGHBOURS)}
    if options.more:
        versions = dict(one.split("==", 1) for one in options.more if "==" in one)
        if len(versions) < len(options.more):
            parser.error(
                f"--with takes a library and its version, as in pillow==14.0.0, got {', '.join(options.more)}"
            )
        of_made = {name: one for name, one in versions.items() if name in MADE}
        more = tuple(f"{name}=={one}" for name, one in versions.items() if name not in MADE)
        chosen[" and ".join(options.more)] = Neighbour(versions=of_made, more=more)
    FOLDER.mkdir(parents=True, exist_ok=True)
    worst = 0
    for name, one in chosen.items():
        try:
            worst = max(worst, run(name, one, options.again))
        except subprocess.CalledProcessError as error:
            print(
                f"{name} is not compared: {' '.join(map(str, error.cmd))} ended with {error.returncode}",
                file=sys.stderr,
            )
            worst = max(worst, 2)
        except KeyboardInterrupt:
            print(
                f"interrupted in {name}: what was found before stays, and the next run goes on there",
                file=sys.stderr,
            )
            return 130
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
