"""Print how many real pipelines can be written with seedsafe: python scripts/coverage.py FOLDER.

FOLDER holds `pipelines.jsonl`, one pipeline a line with its transforms' canonical names, and `albumentations/*.py`, modules that
define `pipeline` in albumentations' words. The modules are run with seedsafe_albumentations under that name.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do
from seedsafe_albumentations import pytorch

CALLED = {
    "Rotate90": "RandomRotate90",
    "GaussNoise": "GaussianNoise",
    "RandomGamma": "Gamma",
    "Gain": "Amplitude",
    "InvertImg": "Invert",
    "CropFromBorders": "RandomCropFromBorders",
    "Elastic": "ElasticTransform",
    "V:TemporalSample": "TemporalSample",
    "A:AddBackgroundNoise": "AddBackground",
    "A:AddColoredNoise": "AddNoise",
    "A:Gain": "Gain",
    "A:PitchShift": "PitchShift",
    "A:PolarityInversion": "PolarityInversion",
    "A:Reverse": "Reverse",
    "A:FrequencyMask(wave)": "DropFreq",
    "A:Shift": "TimeShift",
    "A:SpeedPerturb": "SpeedPerturb",
    "A:TimeMask(wave)": "DropChunk",
    "A:TimeStretch": "TimeStretch",
    "S:FrequencyMasking": "FrequencyMask",
    "S:SpecAugment": "TimeMask",  # and FrequencyMask
    "S:TimeMasking": "TimeMask",
}
"""What is called otherwise here."""
OWN = "custom:"
"""How the name of a callable of the pipeline's own repository begins."""


def here(canonical: str) -> bool:
    """Return whether a canonical name is one of seedsafe's transforms."""
    return CALLED.get(canonical, canonical) in ss.__all__


def written(rows: list[dict[str, Any]]) -> tuple[int, int, Counter[str]]:
    """Return how many pipelines have all of their transforms here, and how many but for callables of their own, and what lacks."""
    lacking: Counter[str] = Counter()
    whole = bridged = 0
    for row in rows:
        missing = {name for name in row["canonical"] if not here(name)}
        whole += not missing
        bridged += all(name.startswith(OWN) for name in missing)
        lacking.update(missing)
    return whole, bridged, lacking


def sample(source: str) -> dict[str, Any]:
    """Return the parts that a pipeline is called with, as its text says."""
    rng = np.random.Generator(np.random.Philox(3))
    image = rng.integers(0, 256, (1100, 1100, 3), np.uint8)
    parts: dict[str, Any] = {"image": image, "mask": (image[..., 0] // 64).astype(np.uint8)}
    box = re.search(r"BboxParams\((?:format=)?['\"](\w+)['\"]", source)
    if box:
        boxes = {
            "yolo": (0.5, 0.5, 0.3, 0.3),
            "albumentations": (0.3, 0.3, 0.6, 0.7),
            "coco": (300, 300, 300, 400),
        }
        parts["bboxes"] = [boxes.get(box[1], (300, 300, 600, 700))]
    if "KeypointParams" in source:
        parts["keypoints"] = [(500, 500)]
    for fields in re.findall(r"label_fields=[\[(]([^\])]*)[\])]", source):
        for name in re.findall(r"['\"]([\w ]+)['\"]", fields):
            parts[name] = [1]
    return parts


def run(path: Path) -> str:
    """Return "" if a module's pipeline is made and runs, else why not."""
    source = path.read_text(encoding="utf-8")
    spaces: dict[str, Any] = {}
    try:
        exec(compile(source, str(path), "exec"), spaces)  # noqa: S102  # modules of the caller's own folder
        pipeline = spaces["pipeline"]
        if not isinstance(pipeline, A.Compose):
            pipeline = A.Compose(pipeline if isinstance(pipeline, list) else [pipeline])
        for index in range(3):
            made = pipeline(**sample(source), key=ss.SampleKey(42, 0, index))
        assert made["image"].shape[0]
    except Exception as error:  # noqa: BLE001  # it is what is printed
        return f"{type(error).__name__}: {error}"
    return ""


def main(folder: Path) -> None:
    """Print both shares, and what is missing."""
    sys.modules["albumentations"] = A
    sys.modules["albumentations.pytorch"] = pytorch
    sys.modules["albumentations.pytorch.transforms"] = pytorch
    modules = sorted((folder / "albumentations").glob("*.py"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = {path.name: why for path in modules if (why := run(path))}
    print(f"albumentations' modules that run: {len(modules) - len(failed)} of {len(modules)}")
    for name, why in failed.items():
        print(f"    {name}: {why[:180]}")
    rows = [
        json.loads(line) for line in (folder / "pipelines.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    training = [row for row in rows if row["training"]]
    for library in ("any library", "albumentations", "torchvision"):
        chosen = [row for row in training if library in ("any library", row["library"])]
        whole, bridged, lacking = written(chosen)
        print(
            f"training pipelines of {library}, written in full: {whole} of {len(chosen)} ({100 * whole / len(chosen):.1f} %), with "
            f"callables of their own bridged in place: {bridged} ({100 * bridged / len(chosen):.1f} %)"
        )
        print("    missing:", ", ".join(f"{name} {count}" for name, count in lacking.most_common(30)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
