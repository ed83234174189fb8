"""Compare this environment with the capsule, tests/capsule: which samples have other bytes here, and whether that is declared.

``python scripts/compare_capsule.py`` computes all of its samples; ``--samples 5000`` as many drawn by a fixed seed; ``--result FILE`` also writes what
it found as JSON. The status is 1 if a sample differs that is declared equal, 2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT), str(ROOT / "adapters"), str(ROOT / "tools")]

import capsule
from capsule import HASH, Row

LIBRARIES = {
    "NumPy": "numpy",
    "OpenCV": "opencv-python-headless",
    "Pillow": "pillow",
    "SciPy": "scipy",
    "python-stretch": "python-stretch",
    "torch": "torch",
    "torchvision": "torchvision",
}
MACHINES = {"AMD64": "x86-64", "x86_64": "x86-64", "arm64": "aarch64", "ARM64": "aarch64"}
PROCESSOR = ("OPENCV_CPU_DISABLE", "OPENCV_IPP", "NPY_DISABLE_CPU_FEATURES")
"""Variables that make a processor an older one, for which a build has other code."""
SWITCHES = (*PROCESSOR, "SEEDSAFE_KERNELS")


def environment() -> dict[str, str]:
    """Return what this environment has, by name."""
    found = {
        "machine": MACHINES.get(platform.machine(), platform.machine()),
        "Python": platform.python_version(),
    }
    for name, distribution in LIBRARIES.items():
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            found[name] = "missing"
    return found | {name: os.environ[name] for name in SWITCHES if name in os.environ}


def surprising(declared: set[tuple[str, str]], made: dict[str, str], here: dict[str, str]) -> bool:
    """Return whether samples that are declared so should be equal here."""
    moved = made["machine"] != here["machine"]
    older = any(name in here for name in PROCESSOR)
    for machines, build in declared:
        others = [name for name in LIBRARIES if name in build and made[name] != here[name]]
        if machines == "one build" and (moved or older or others or not build):
            return False
        if machines == "one architecture" and moved:
            return False
    return True


def chosen(rows: list[Row], samples: int | None) -> Iterator[tuple[Row, str, list[int]]]:
    """Yield rows with a kind of input and the numbers of samples: all, or so many drawn by a fixed seed."""
    numbers = {
        (at, kind): range(len(one) // HASH) for at, row in enumerate(rows) for kind, one in row.hashes.items()
    }
    if samples is None:
        for (at, kind), of in numbers.items():
            yield rows[at], kind, list(of)
        return
    everything = [(at, kind, number) for (at, kind), of in numbers.items() for number in of]
    drawn: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, kind, number in random.Random(42).sample(everything, min(samples, len(everything))):
        drawn[at, kind].append(number)
    for (at, kind), of in sorted(drawn.items()):
        yield rows[at], kind, sorted(of)


def compared(whole: capsule.Capsule, samples: int | None = None) -> dict[str, Any]:
    """Return what is equal here: for each transform how many samples are and were tried, what differs, and what could not be run."""
    here = environment()
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    differing: list[list[Any]] = []
    missing: Counter[str] = Counter()
    for row, kind, numbers in chosen(whole.rows, samples):
        try:
            one = capsule.made(row.text, kind)
            wrong = [
                number
                for number in numbers
                if capsule.sample(one, kind, number)[0] != capsule.wanted(row.hashes[kind], number)
            ]
        except ImportError as error:
            missing[f"{error}".partition(":")[0]] += len(numbers)
            continue
        rows[row.of][0] += len(numbers) - len(wrong)
        rows[row.of][1] += len(numbers)
        if wrong:
            surprise = surprising(capsule.declared(one, kind), whole.made, here)
            differing.append([row.of, row.text, kind, len(wrong), len(numbers), surprise, wrong[:3]])
    return {"here": here, "made": whole.made, "rows": rows, "differing": differing, "missing": missing}


def told(found: dict[str, Any]) -> int:
    """Print what was found, and return the status."""
    print("  ".join(f"{name} {value}" for name, value in found["here"].items()))
    tried, equal = (sum(row[at] for row in found["rows"].values()) for at in (1, 0))
    other = sorted({row[0] for row in found["differing"]})
    surprises = [row for row in found["differing"] if row[5]]
    for of, text, kind, wrong, count, _, first in surprises:
        print(
            f"by surprise: {of}: {wrong} of {count} samples of {text} given {kind}, number {first[0]} for example"
        )
    for word, count in found["missing"].items():
        print(f"not run: {count} samples: {word}")
    print(
        f"{equal:,} of {tried:,} samples have the same bytes, and all of {len(found['rows']) - len(other)} of {len(found['rows'])} rows"
    )
    if other:
        print(
            f"others, of {', '.join(other)}: {sum(not row[5] for row in found['differing'])} groups as declared, {len(surprises)} by surprise"
        )
    return 2 if not tried else int(bool(surprises))


def write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    """Compare, and return the status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, help="how many, drawn by a fixed seed; all of them without it")
    parser.add_argument("--result", type=Path, help="a file that what was found is written to, as JSON")
    parser.add_argument("--capsule", type=Path, default=capsule.FILE, help="another capsule")
    options = parser.parse_args(arguments)
    if options.samples is not None and options.samples < 1:
        parser.error(f"--samples must be at least 1, got {options.samples}: leave it out for all of them")
    try:
        found = compared(capsule.read(options.capsule), options.samples)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: nothing was written; start it again", file=sys.stderr)
        return 130
    if options.result:
        write(options.result, json.dumps(found, indent=1))
    return told(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
