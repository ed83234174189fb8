"""Scripts that make several views of an image: each runs with one line more, equal for any workers, and mostly converted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

pytestmark = pytest.mark.bridge

SIZE = 32
CONVERTED = {
    "MoCo": (8, 9),
    "SimCLR": (7, 7),
    "BYOL": (6, 7),
    "lightly": (9, 11),
    "Barlow Twins": (14, 18),
    "DINO": (21, 25),
    "SwAV": (14, 16),
    "FixMatch": (7, 7),
}
"""How many of each script's transforms are converted. The others are classes of its own that draw: blur, solarize, rotate."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    for number in range(8):
        coarse = np.random.default_rng(number).integers(0, 256, (6, 8, 3), np.uint8)
        place = folder / f"class{number % 2}"
        place.mkdir(exist_ok=True)
        cv2.imwrite(str(place / f"{number}.png"), cv2.resize(coarse, (64, 48), interpolation=cv2.INTER_CUBIC))
    return folder


def views_of(script: str, batch: Any) -> list[torch.Tensor]:
    views = batch if script == "SwAV" else batch[0]  # as each script takes them apart
    assert isinstance(views, list)
    return views


@pytest.mark.parametrize("script", CONVERTED)
def test_a_script_runs_with_one_line_more(root: Path, script: str) -> None:
    from view_scripts import SCRIPTS

    dataset = SCRIPTS[script](root, SIZE)
    before = views_of(script, next(iter(torch.utils.data.DataLoader(dataset, batch_size=4))))
    augmented = AugmentedDataset(dataset, seed=42, convert=True)
    report = augmented.augment.report
    assert (len(report.converted), len(report.lines)) == CONVERTED[script]
    passes = []
    for workers in (0, 2):
        batches = loader(augmented, batch_size=4, num_workers=workers, shuffle=True)
        passes.append([views_of(script, batch) for _ in range(2) for batch in batches])
    for one, other in zip(*passes, strict=True):
        assert [(view.shape, view.dtype) for view in one] == [(view.shape, view.dtype) for view in before]
        assert all(torch.equal(view, like) for view, like in zip(one, other, strict=True))
    assert not torch.equal(passes[0][0][0], passes[0][2][0])  # of two epochs


@pytest.mark.parametrize("script", ["MoCo", "DINO", "FixMatch"])
def test_each_view_is_its_pipeline_at_its_number(root: Path, script: str) -> None:
    from view_scripts import SCRIPTS

    augmented = AugmentedDataset(SCRIPTS[script](root, SIZE), seed=42, convert=True)
    views, _ = augmented.at(3, epoch=1)
    plain = augmented.base[3][0]
    for number, (view, pipeline) in enumerate(zip(views, augmented.augment.pipelines, strict=True)):
        expected = pipeline(plain, key=ss.SampleKey(42, 1, 3, view=number))
        np.testing.assert_array_equal(view, expected)


def test_augmix_of_timm_stays_as_it_is_behind_the_bridge(root: Path) -> None:
    from timm.data import AugMixDataset, create_transform
    from torchvision.datasets import ImageFolder

    def dataset() -> Any:
        mixed = AugMixDataset(ImageFolder(root), num_splits=3)
        mixed.transform = create_transform(SIZE, is_training=True, auto_augment="augmix-m3-w3", separate=True)
        return AugmentedDataset(mixed, seed=42, bridge=True)

    passes = [list(loader(dataset(), batch_size=4, num_workers=workers)) for workers in (0, 2)]
    for (one, _), (other, _) in zip(*passes, strict=True):
        assert len(one) == 3
        assert all(torch.equal(view, like) for view, like in zip(one, other, strict=True))
