"""Compare this environment with the capsule, tests/capsule: which samples have other bytes here, and whether that is declared.

``python scripts/capsule.py`` computes all of its samples; ``--samples 5000`` as many drawn by a fixed seed; ``--result FILE`` also writes what
it found as JSON. The status is 1 if a sample differs that is declared equal, 2 if nothing could be compared. ``--make`` made the file, once.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import sys
import time
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
SWITCHES = ("OPENCV_CPU_DISABLE", "OPENCV_IPP", "NPY_DISABLE_CPU_FEATURES", "SEEDSAFE_KERNELS")


def environment() -> dict[str, str]:
    """Return what this environment has, by name."""
    found = {"machine": MACHINES.get(platform.machine(), platform.machine()), "Python": platform.python_version()}
    for name, distribution in LIBRARIES.items():
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            found[name] = "missing"
    return found | {name: os.environ[name] for name in SWITCHES if name in os.environ}


def surprising(declared: set[tuple[str, str]], made: dict[str, str], here: dict[str, str]) -> bool:
    """Return whether samples that are declared so should be equal here."""
    moved = made["machine"] != here["machine"]
    for machines, build in declared:
        others = [name for name in LIBRARIES if name in build and made[name] != here[name]]
        if machines == "one build" and (moved or others or not build):
            return False
        if machines == "one architecture" and moved:
            return False
    return True


def chosen(rows: list[Row], samples: int | None) -> Iterator[tuple[Row, str, list[int]]]:
    """Yield rows with a kind of input and the numbers of samples: all, or so many drawn by a fixed seed."""
    numbers = {(at, kind): range(len(one) // HASH) for at, row in enumerate(rows) for kind, one in row.hashes.items()}
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
        print(f"by surprise: {of}: {wrong} of {count} samples of {text} given {kind}, number {first[0]} for example")
    for word, count in found["missing"].items():
        print(f"not run: {count} samples: {word}")
    print(f"{equal:,} of {tried:,} samples have the same bytes, and all of {len(found['rows']) - len(other)} of {len(found['rows'])} rows")
    if other:
        print(f"others, of {', '.join(other)}: {sum(not row[5] for row in found['differing'])} groups as declared, {len(surprises)} by surprise")
    return 2 if not tried else int(bool(surprises))


def write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


# How the capsule was made, once.

FEW = 18
STEP = 12
OF_A_TRANSFORM, OF_A_KIND = 310, 1010
"""How many samples of a transform, and of a kind of input, differ from what was given."""

CONVERTED = (
    "v2.RandomCrop(20, pad_if_needed=True)",
    "v2.RandomResizedCrop(24, antialias=True)",
    "v2.RandomHorizontalFlip(1.0)",
    "v2.RandomVerticalFlip(1.0)",
    "v2.RandomRotation(30)",
    "v2.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), 10)",
    "v2.ColorJitter(0.4, 0.4, 0.4, 0.1)",
    "v2.RandomGrayscale(1.0)",
    "v2.GaussianBlur(5, (0.5, 2.0))",
    "v2.RandomErasing(1.0)",
    "v2.RandomPerspective(p=1.0)",
    "v2.RandomPosterize(3, p=1.0)",
    "v2.RandomSolarize(128, p=1.0)",
    "v2.RandomEqualize(1.0)",
    "v2.RandomAutocontrast(1.0)",
    "v2.RandomInvert(1.0)",
    "v2.RandomAdjustSharpness(2.0, 1.0)",
    "v2.RandomPhotometricDistort(p=1.0)",
    "v2.RandomZoomOut(p=1.0)",
    "v2.RandAugment()",
    "v2.TrivialAugmentWide()",
    "v2.AutoAugment()",
    "v2.AugMix()",
    "v2.Resize(24, antialias=True)",
    "v2.CenterCrop(20)",
    "v2.Pad(3)",
)
LOADED = (
    "Compose([RandomCrop(12), HorizontalFlip(), ToFloat(), ToCHW()])",
    "Compose([ColorJitter(0.4, 0.4, 0.4, 0.1), Normalize((0.5,) * 3, (0.25,) * 3)])",
    "Compose([RandomResizedCrop(16, antialias=True), GaussianNoise(std=(1, 9))])",
    "RandAugment()",
)
ARGUMENTS = (
    "p=1",
    "height=16, width=16, p=1",
    "size=(16, 16), p=1",
    "size=(16, 16), min_max_height=(5, 20), p=1",
    "min_max_height=(5, 20), height=16, width=16, p=1",
    "16, p=1",
    "max_size=16, p=1",
    "limit=20, p=1",
    "",
)
KINDS_OF_IMAGES = [
    kind for kind in capsule.KINDS if not kind.startswith(("drop-in", "order", "draws", "converted", "loader", "mixed"))
]


def texts() -> Iterator[tuple[str, str, list[str]]]:
    """Yield what a row is of, its text, and the kinds of input to try."""
    import seedsafe_albumentations as drop_in
    from cases import TRANSFORMS, goldens

    import seedsafe as ss

    seen = set()
    for name, case in TRANSFORMS.items():
        ones = [*case.also.values(), *(one.transform for one in case.golden.values()), *case.of_audio]
        if not case.holds:
            ones = [case.make(), case.fires, *case.small, *ones]
        for one in ones:
            text = re.sub(r"Sound\((\d+)\)", r"*sounds(\1)", repr(one))
            if text not in seen and "'/" not in text:  # no folder of this machine
                seen.add(text)
                kinds = [kind for kind in KINDS_OF_IMAGES if ("dataset" in kind) == (case.needs == "dataset")]
                yield name, text, kinds
    yield "Bridged", "bridge(noisy)", KINDS_OF_IMAGES
    yield "Bridged", "OneOf([HorizontalFlip(p=1), Bridged(noisy)])", KINDS_OF_IMAGES
    for _, golden in goldens().values():
        if isinstance(golden.transform, ss.BatchMix):
            yield "BatchMix", repr(golden.transform), ["mixed"]
    kinds = [kind for kind in capsule.KINDS if kind.startswith("drop-in")]
    for name in sorted({name for case in TRANSFORMS.values() for name in case.called}):
        for arguments in ARGUMENTS:
            try:
                eval(f"A.{name}({arguments})", {"A": drop_in})  # noqa: S307
            except (TypeError, ValueError):
                continue
            yield f"A.{name}", f"A.{name}({arguments})", kinds
            break
        else:
            print(f"no arguments are known for {name}")
    for kind in ("stored", "addressed"):
        yield "epoch_order", kind, ["order"]
    for name in capsule.DRAWS:
        yield "Draws", name, ["draws"]
    for text in CONVERTED:
        yield "convert", text, ["converted"]
    for text in LOADED:
        yield "loader", text, ["loader"]


class Making:
    """A row with a kind of input that is made, and how many of its samples fire."""

    def __init__(self, of: str, text: str, kind: str) -> None:
        self.of, self.text, self.kind = of, text, kind
        self.one = capsule.made(text, kind)
        self.hashes: list[bytes] = []
        self.fired = self.refused = 0

    def go(self, more: int) -> None:
        """Compute more samples."""
        for number in range(len(self.hashes), len(self.hashes) + more):
            found, fires = capsule.sample(self.one, self.kind, number)
            self.hashes.append(found)
            self.fired += fires


def make(file: Path) -> int:
    """Make the capsule, unless there is one, and return the status."""
    if file.exists():
        print(f"{file} exists, and never changes within a version of the contract: nothing was written")
        return 1
    began = time.monotonic()
    ones = []
    for of, text, kinds in texts():
        for kind in kinds:
            try:
                one = Making(of, text, kind)
            except (TypeError, ValueError):
                continue
            one.go(FEW)
            if one.fired:
                ones.append(one)
    for wanted, name in ((OF_A_TRANSFORM, "of"), (OF_A_KIND, "kind")):
        groups: dict[str, list[Making]] = defaultdict(list)
        for one in ones:
            groups[getattr(one, name)].append(one)
        for group, members in groups.items():
            while (fired := sum(one.fired for one in members)) < wanted:
                for one in members:
                    one.go(STEP)
                if sum(one.fired for one in members) == fired:
                    print(f"{group} does not fire any more than {fired} times")
                    break
    rows: dict[tuple[str, str], Row] = {}
    for one in ones:
        rows.setdefault((one.of, one.text), Row(one.of, one.text, {})).hashes[one.kind] = b"".join(one.hashes)
    write(file, capsule.written(environment(), list(rows.values())))
    print(f"written: {sum(len(one.hashes) for one in ones):,} samples of {len(ones)} groups in {time.monotonic() - began:.0f} s")
    return 0


def main(arguments: list[str]) -> int:
    """Compare, or make the capsule, and return the status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, help="how many, drawn by a fixed seed; all of them without it")
    parser.add_argument("--result", type=Path, help="a file that what was found is written to, as JSON")
    parser.add_argument("--capsule", type=Path, default=capsule.FILE, help="another capsule")
    parser.add_argument("--make", action="store_true", help="make the capsule, unless there is one")
    options = parser.parse_args(arguments)
    if options.samples is not None and options.samples < 1:
        parser.error(f"--samples must be at least 1, got {options.samples}: leave it out for all of them")
    try:
        if options.make:
            return make(options.capsule)
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
