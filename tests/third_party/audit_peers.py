"""Real pipelines of other libraries under the audit; `make test-audit` runs this in an environment with them."""

from __future__ import annotations

from typing import Any

import albumentations
import numpy as np
import pytest
import torch
from torch.utils.data import Dataset

import seedsafe as ss
from seedsafe_audit import Report

IMAGES = np.random.default_rng(0).integers(0, 255, (64, 32, 32, 3), dtype=np.uint8)
LIBRARY = torch.library.Library("torchvision", "DEF")  # what its build without CUDA leaves undeclared
for _operator in ("nms", "qnms"):
    LIBRARY.define(f"{_operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from torchvision import transforms as v1
from torchvision.transforms import v2


class Photographs(Dataset):
    """Images with a transform of another library."""

    def __init__(self, transform: Any, *, named: bool) -> None:
        self.transform, self.named = transform, named

    def __len__(self) -> int:
        return len(IMAGES)

    def __getitem__(self, index: int) -> Any:
        image = IMAGES[index]
        if self.transform is None:
            return image.copy()
        if self.named:
            return self.transform(image=image)["image"]
        return self.transform(torch.from_numpy(image).permute(2, 0, 1))


def with_albumentations(**options: Any) -> Photographs:
    steps = [
        albumentations.RandomCrop(24, 24),
        albumentations.HorizontalFlip(),
        albumentations.GaussNoise(p=1.0),
    ]
    return Photographs(albumentations.Compose(steps, **options), named=True)


def with_torchvision(version: Any) -> Photographs:
    steps = [version.RandomCrop(24), version.RandomHorizontalFlip(), version.ColorJitter(0.4, 0.4)]
    return Photographs(version.Compose(steps), named=False)


def audited(dataset: Any) -> Report:
    asked = ["ends", "duplicates", "epochs", "workers", "order", "global-state", "lost-state", "at-fault"]
    return ss.audit(dataset, samples=64, workers=(0, 2, 4), start_methods=("fork",), questions=asked)


@pytest.mark.parametrize("options", [{}, {"seed": 0}], ids=["unseeded", "seed=0"])
def test_albumentations_repeats_workers_and_epochs(options: dict[str, Any]) -> None:
    assert albumentations.__version__ == "2.0.8"
    report = audited(with_albumentations(**options))
    for question in ("duplicates", "epochs"):
        assert (report[question].verdict, report[question].at_fault) == ("fault", "transform"), report[
            question
        ]
    assert report["workers"].verdict == "warning"
    assert report["global-state"].verdict == "ok"
    assert report["ends"].verdict == "ok"


@pytest.mark.parametrize("version", [v1, v2], ids=["v1", "v2"])
def test_torchvision_depends_on_the_workers_and_repeats_nothing(version: Any) -> None:
    report = audited(with_torchvision(version))
    assert not report.faults
    for question in ("workers", "order", "global-state"):
        assert (report[question].verdict, report[question].at_fault) == ("warning", "transform"), report[
            question
        ]
    assert report["duplicates"].verdict == report["epochs"].verdict == "ok"
