"""Memory-mapped samples: every transform takes them as it takes others, and leaves the file as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import CASES
from every import EVERY, GIVEN, sample_of

import seedsafe as ss

KEY = ss.SampleKey(42, 3, 1234)


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize(("name", "dtype"), GIVEN, ids=map(", ".join, GIVEN))
def test_a_memory_map_is_as_an_array(name: str, dtype: str, mode: Any, tmp_path: Path) -> None:
    one = EVERY[name]
    sample, mapped, files = sample_of(one.case, dtype), {}, {}
    for target, array in sample.items():
        files[target] = tmp_path / f"{target}.npy"
        np.save(files[target], array)
        mapped[target] = np.load(files[target], mmap_mode=mode)
        assert isinstance(mapped[target], np.memmap)
    before = {target: file.read_bytes() for target, file in files.items()}
    augment = ss.Compose([one.transform], boxes=ss.Boxes("pascal_voc"))
    expected, made = augment(sample, key=KEY), augment(mapped, key=KEY)
    if len(sample) == 1:
        (target,) = sample
        alone = augment(mapped[target], key=KEY)
        np.testing.assert_array_equal(alone, expected[target])
        assert type(alone) is np.ndarray
    for target, array in made.items():
        assert type(array) is np.ndarray
        np.testing.assert_array_equal(array, expected[target])
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert not np.shares_memory(array, mapped[target])
        array[...] = 0
        assert files[target].read_bytes() == before[target]


def test_all_targets_of_a_sample(tmp_path: Path) -> None:
    image = sample_of(CASES["HorizontalFlip"], "uint8")["image"]
    parts = {
        "image": image,
        "mask": image[..., 0].copy(),
        "masks": image.transpose(2, 0, 1).copy(),
        "keypoints": np.array([[3.0, 4.0], [50.0, 60.0]]),
        "boxes": np.array([[3, 4, 50, 60]]),
        "other": np.arange(3),
    }
    mapped: dict[str, Any] = {}
    for target, array in parts.items():
        np.save(tmp_path / target, array)
        mapped[target] = np.load(tmp_path / f"{target}.npy", mmap_mode="r")
    for stacked in (mapped["masks"], list(mapped["masks"]), tuple(mapped["masks"])):
        for augment in (ss.HorizontalFlip(p=1), ss.HorizontalFlip(p=0), ss.RandomCrop(64), ss.Blur(p=1)):
            augment = ss.Compose([augment], boxes=ss.Boxes("pascal_voc"))
            expected, made = augment(parts, key=KEY), augment(mapped | {"masks": stacked}, key=KEY)
            assert made["other"] is mapped["other"]
            assert type(made["masks"]) is (np.ndarray if stacked is mapped["masks"] else type(stacked))
            for target in set(parts) - {"other"}:
                np.testing.assert_array_equal(np.asarray(made[target]), expected[target])
                for array in made[target] if target == "masks" else [made[target]]:
                    assert type(array) is np.ndarray
                    assert not np.shares_memory(array, mapped[target])


def test_a_users_transform_is_given_an_array(tmp_path: Path) -> None:
    seen: list[type] = []

    class Look(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            seen.append(type(image))
            return image

    np.save(tmp_path / "image.npy", np.zeros((4, 5), np.uint8))
    image = np.load(tmp_path / "image.npy", mmap_mode="r")
    for sample in (image, {"image": image}):
        Look()(sample, key=KEY)
    assert seen == [np.ndarray, np.ndarray]
