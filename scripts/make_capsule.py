"""Make the capsule, tests/capsule, from the tests' cases, unless there is one: it never changes within a version of the contract.

``python scripts/make_capsule.py [FILE]`` with torch and torchvision installed; see `compare_capsule.py`.
"""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT), str(ROOT / "adapters"), str(ROOT / "tools")]

import capsule
import compare_capsule as compare
from capsule import Row
from cases import TRANSFORMS, Case, goldens

import seedsafe as ss
import seedsafe_albumentations as drop_in

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
    kind
    for kind in capsule.KINDS
    if not kind.startswith(("drop-in", "order", "draws", "converted", "loader", "mixed"))
]


def of_case(case: Case) -> Iterator[str]:
    """Yield the texts of a case's transforms, without those that name a folder of this machine."""
    ones = [*case.also.values(), *(one.transform for one in case.golden.values()), *case.of_audio]
    if not case.holds:
        ones = [case.make(), case.fires, *case.small, *ones]
    for one in ones:
        text = re.sub(r"Sound\((\d+)\)", r"*sounds(\1)", repr(one))
        if "'/" not in text:
            yield text


def of_drop_in() -> Iterator[tuple[str, str]]:
    """Yield the names of `seedsafe_albumentations`, and a text for each."""
    for name in sorted({name for case in TRANSFORMS.values() for name in case.called}):
        for arguments in ARGUMENTS:
            try:
                eval(f"A.{name}({arguments})", {"A": drop_in})
            except (TypeError, ValueError):
                continue
            yield f"A.{name}", f"A.{name}({arguments})"
            break
        else:
            print(f"no arguments are known for {name}")


def texts() -> Iterator[tuple[str, str, list[str]]]:
    """Yield what a row is of, its text, and the kinds of input to try."""
    for name, case in TRANSFORMS.items():
        kinds = [kind for kind in KINDS_OF_IMAGES if ("dataset" in kind) == (case.needs == "dataset")]
        for text in dict.fromkeys(of_case(case)):
            yield name, text, kinds
    yield "Bridged", "bridge(noisy)", KINDS_OF_IMAGES
    yield "Bridged", "OneOf([HorizontalFlip(p=1), Bridged(noisy)])", KINDS_OF_IMAGES
    mixes = [one.transform for _, one in goldens().values() if isinstance(one.transform, ss.BatchMix)]
    others = {
        "BatchMix": ("mixed", list(map(repr, mixes))),
        "epoch_order": ("order", ["stored", "addressed"]),
        "Draws": ("draws", list(capsule.DRAWS)),
        "convert": ("converted", CONVERTED),
        "loader": ("loader", LOADED),
    }
    for of, (kind, ones) in others.items():
        for text in ones:
            yield of, text, [kind]
    for of, text in of_drop_in():
        yield of, text, [kind for kind in capsule.KINDS if kind.startswith("drop-in")]


class Making:
    """A row with a kind of input that is made, and how many of its samples fire."""

    def __init__(self, of: str, text: str, kind: str) -> None:
        self.of, self.text, self.kind = of, text, kind
        self.one = capsule.made(text, kind)
        self.hashes: list[bytes] = []
        self.fired = 0

    def go(self, more: int) -> None:
        """Compute more samples."""
        for number in range(len(self.hashes), len(self.hashes) + more):
            found, fires = capsule.sample(self.one, self.kind, number)
            self.hashes.append(found)
            self.fired += fires


def all_that_fire() -> Iterator[Making]:
    """Yield the rows with the kinds of input that change anything, after a few samples."""
    for of, text, kinds in texts():
        for kind in kinds:
            try:
                one = Making(of, text, kind)
            except (TypeError, ValueError):
                continue
            one.go(FEW)
            if one.fired:
                yield one


def fill(members: list[Making], wanted: int) -> None:
    """Compute more samples until so many fire."""
    while (fired := sum(one.fired for one in members)) < wanted:
        for one in members:
            one.go(STEP)
        if sum(one.fired for one in members) == fired:
            raise ValueError(f"{members[0].of} does not fire more than {fired} times")


def make(file: Path) -> int:
    """Make the capsule, unless there is one, and return the status."""
    if file.exists():
        print(f"{file} exists, and never changes within a version of the contract: nothing was written")
        return 1
    began = time.monotonic()
    ones = list(all_that_fire())
    for wanted, name in ((OF_A_TRANSFORM, "of"), (OF_A_KIND, "kind")):
        groups: dict[str, list[Making]] = defaultdict(list)
        for one in ones:
            groups[getattr(one, name)].append(one)
        for members in groups.values():
            fill(members, wanted)
    rows: dict[tuple[str, str], Row] = {}
    for one in ones:
        row = rows.setdefault((one.of, one.text), Row(one.of, one.text, {}))
        row.hashes[one.kind] = b"".join(one.hashes)
    compare.write(file, capsule.written(compare.environment(), list(rows.values())))
    count = sum(len(one.hashes) for one in ones)
    print(f"written: {count:,} samples of {len(ones)} groups in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(make(Path(sys.argv[1]) if len(sys.argv) > 1 else capsule.FILE))
