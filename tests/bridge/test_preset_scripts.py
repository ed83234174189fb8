"""Training scripts with classes of their own: each runs with one line more, equal for any workers."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch

from seedsafe_torch import AugmentedDataset, loader

pytestmark = pytest.mark.bridge

SIZE = 56
OWN: dict[str, list[str]] = {
    "ImageNet": [],
    "torchvision's references": [],
    "timm": [],
    "open_clip": ["MaybeConvertMode", "color_jitter", "gray_scale"],
    "DINOv2": [],
}
"""The classes of each script that draw, or look at the image: they are bridged, all others converted."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    (folder / "class").mkdir()
    for number in range(8):
        coarse = np.random.default_rng(number).integers(0, 256, (6, 8, 3), np.uint8)
        picture = cv2.resize(coarse, (96, 72), interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(folder / "class" / f"{number}.png"), picture)
    return folder


def script(root: Path, name: str) -> Any:
    import preset_scripts

    return preset_scripts.SCRIPTS[name](root, SIZE)


def shapes(batch: Any) -> Any:
    if isinstance(batch, dict):
        return {name: shapes(part) for name, part in batch.items()}
    return [shapes(part) for part in batch] if isinstance(batch, list | tuple) else (batch.shape, batch.dtype)


def leaves(batch: Any) -> list[torch.Tensor]:
    parts = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, list | tuple) else None
    return [batch] if parts is None else [leaf for part in parts for leaf in leaves(part)]


@pytest.mark.parametrize("name", OWN)
def test_a_script_runs_with_one_line_more(root: Path, name: str) -> None:
    dataset = script(root, name)
    before = shapes(next(iter(torch.utils.data.DataLoader(dataset, batch_size=4))))
    augmented = AugmentedDataset(dataset, seed=42, convert=True)
    assert [line.theirs for line in augmented.augment.report.bridged] == OWN[name]
    passes = []
    for workers in (0, 2):
        batches = loader(augmented, batch_size=4, num_workers=workers, shuffle=True)
        passes.append([batch for _ in range(2) for batch in batches])
    assert all(shapes(batch) == before for one in passes for batch in one)
    for one, other in zip(leaves(passes[0]), leaves(passes[1]), strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(leaves(passes[0][0])[0], leaves(passes[0][2])[0])  # of two epochs


def test_the_crops_of_the_teacher_are_those_of_the_student(root: Path) -> None:
    crops, _ = AugmentedDataset(script(root, "DINOv2"), seed=42, convert=True).at(3, epoch=1)
    assert list(crops) == ["global_crops", "global_crops_teacher", "local_crops", "offsets"]
    assert crops["offsets"] == ()
    assert len(crops["local_crops"]) == 8
    assert all(
        one is other for one, other in zip(crops["global_crops"], crops["global_crops_teacher"], strict=True)
    )


def collate_dinov2(samples: Any) -> Any:
    """The beginning of DINOv2's."""
    crops = [sample[0]["local_crops"] for sample in samples]
    return torch.stack([views[number] for number in range(8) for views in crops])


def test_a_collate_function_of_ones_own_gets_tensors(root: Path) -> None:
    augmented = AugmentedDataset(script(root, "DINOv2"), seed=42, convert=True)
    options = {"batch_size": 4, "collate_fn": collate_dinov2}
    one = list(loader(augmented, **options))
    other = list(loader(augmented, num_workers=1, **options))
    assert one[0].shape == (32, 3, 24, 24)
    assert all(torch.equal(batch, like) for batch, like in zip(one, other, strict=True))
    again = pickle.loads(pickle.dumps(augmented.augment))
    assert (again, again.form, again.tensors) == (augmented.augment, augmented.augment.form, True)


def test_what_has_a_probability_keeps_it(root: Path) -> None:
    import preset_scripts
    from torchvision.datasets import ImageFolder

    grey = preset_scripts.gray_scale(0.2)
    data = AugmentedDataset(
        ImageFolder(root, preset_scripts.transforms.Compose([grey])), seed=1, convert=True
    )
    images = [data.at(index % 8, epoch=index // 8)[0] for index in range(2000)]
    share = np.mean([(image[..., :1] == image).all() for image in images])
    assert abs(share - 0.2) < 4 * (0.2 * 0.8 / 2000) ** 0.5
