"""A loader delivers the keys of its samples, and what is drawn from them does not depend on the loader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, StackDataset, Subset

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, draws, loader, why_not_in_place
from seedsafe_torch.key_tensor import key_tensor

IMAGES = np.random.default_rng(0).integers(0, 256, (24, 8, 8, 3), np.uint8)
PAIRS = [(image, number) for number, image in enumerate(IMAGES)]
FLIP = ss.Compose([ss.HorizontalFlip()])


def keyed(base: Any = PAIRS, **options: Any) -> AugmentedDataset:
    return AugmentedDataset(base, FLIP, seed=42, **options)


def flipped(keys: torch.Tensor) -> list[bool]:
    """Return whether the pipeline flips each sample, from its key alone."""
    return draws(keys, op=FLIP.streams()[0].op).chance(0.5).tolist()


@pytest.mark.parametrize("workers", [0, 2])
def test_the_keys_are_those_of_the_samples(workers: int) -> None:
    loading = loader(keyed(), batch_size=5, shuffle=True, num_workers=workers, keys=True)
    for _ in range(2):
        for images, numbers, keys in loading:
            assert keys.dtype is torch.int64
            sources = IMAGES[numbers]
            moved = [not np.array_equal(image, source) for image, source in zip(images, sources, strict=True)]
            assert flipped(keys) == moved
            assert keys[:, 3].tolist() == numbers.tolist()
    assert why_not_in_place(loading) is None


def noise(loading: Any) -> dict[int, list[float]]:
    return {
        number: row
        for *_, numbers, keys in loading
        for number, row in zip(numbers.tolist(), draws(keys, op="noise").normal((3,)).tolist(), strict=True)
    }


def test_batches_workers_and_a_resume_change_nothing() -> None:
    usual = noise(loader(keyed(), batch_size=4, shuffle=True, keys=True))
    assert len(usual) == len(PAIRS)
    assert noise(loader(keyed(), batch_size=7, shuffle=True, num_workers=2, keys=True)) == usual
    assert noise(loader(keyed(), batch_size=4, keys=True, in_place=False)) == usual
    stopped = loader(keyed(), batch_size=4, shuffle=True, keys=True)
    batches = iter(stopped)
    begun = noise([next(batches), next(batches)])
    resumed = loader(keyed(), batch_size=6, shuffle=True, num_workers=2, keys=True)
    resumed.load_state_dict(stopped.state_dict())
    assert begun | noise(resumed) == usual
    assert noise(resumed) != usual  # the next epoch


def test_wrappers() -> None:
    second = AugmentedDataset(PAIRS[:4], seed=7, index_offset=100)
    wrapped = ConcatDataset([Subset(keyed(), [9, 3, 5]), second])
    ((_, _, keys),) = loader(wrapped, seed=1, batch_size=7, keys=True)
    of_first = [ss.SampleKey(42, 0, index) for index in (9, 3, 5)]
    of_second = [ss.SampleKey(7, 0, 100 + index) for index in range(4)]
    assert torch.equal(keys, key_tensor(of_first + of_second))
    ((*_, keys),) = loader(StackDataset(keyed(), keyed()), batch_size=24, keys=True)
    assert torch.equal(keys, key_tensor([ss.SampleKey(42, 0, index) for index in range(24)]))
    ((*_, keys),) = loader(PAIRS, seed=3, batch_size=24, keys=True)
    assert torch.equal(keys, key_tensor([ss.SampleKey(3, 0, index) for index in range(24)]))


@pytest.mark.parametrize(
    ("options", "epoch", "view"),
    [({"epoch": 9}, 9, 0), ({"views": 2}, 0, 0), ({"ids": range(100, 124)}, 0, 0)],
)
def test_options_of_the_dataset(options: Any, epoch: int, view: int) -> None:
    dataset = keyed(**options)
    ((_, numbers, keys),) = loader(dataset, batch_size=24, keys=True)
    first = 100 if "ids" in options else 0
    assert torch.equal(
        keys, key_tensor([ss.SampleKey(42, epoch, first + int(n), view=view) for n in numbers])
    )


def test_batches_of_every_form() -> None:
    named = [{"image": image, "label": number} for image, number in PAIRS]
    (batch,) = loader(keyed(named), batch_size=24, keys=True)
    assert list(batch) == ["image", "label", "keys"]
    (batch,) = loader(AugmentedDataset(IMAGES, seed=42), batch_size=24, keys=True)
    assert [tuple(part.shape) for part in batch] == [(24, 8, 8, 3), (24, 4)]
    (batch,) = loader(keyed(), batch_size=24, keys=True, collate_fn=tuple)
    assert len(batch) == 25
    with pytest.raises(TypeError, match="has one already"):
        list(loader(AugmentedDataset([{"keys": 1}] * 3, seed=1), keys=True))


class Faulty:
    def __len__(self) -> int:
        return 9

    def __getitem__(self, index: int) -> tuple[Any, int]:
        if index in (0, 4, 6, 7, 8):
            raise OSError("gone")
        return PAIRS[index]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.filterwarnings("ignore:.* left out")
def test_samples_that_are_left_out_leave_no_key(workers: int) -> None:
    loading = loader(
        AugmentedDataset(Faulty(), seed=42, on_error="skip"), batch_size=3, num_workers=workers, keys=True
    )
    found = [(numbers.tolist(), keys[:, 3].tolist()) for _, numbers, keys in loading]
    assert found == [([1, 2], [1, 2]), ([3, 5], [3, 5])]


@pytest.mark.parametrize("workers", [0, 2])
def test_positions_that_count_from_the_end(workers: int) -> None:
    parts = [
        AugmentedDataset([(IMAGES[0], number) for number in numbers], seed=seed)
        for seed, numbers in ((1, range(10)), (2, range(10, 20)))
    ]
    loading = loader(
        Subset(ConcatDataset(parts), [-1, -3, 3, -17]), batch_size=4, seed=5, keys=True, num_workers=workers
    )
    ((_, numbers, keys),) = loading
    assert numbers.tolist() == [19, 17, 3, 3]
    assert [(key[0], key[3]) for key in keys.tolist()] == [(2, 9), (2, 7), (1, 3), (1, 3)]


def test_what_has_no_keys() -> None:
    with pytest.raises(ValueError, match="map-style dataset"):
        loader(AugmentedIterable([IMAGES[0]], FLIP, seed=1, id=lambda record: 0), keys=True)
    with pytest.raises(ValueError, match="batch_size=None"):
        loader(keyed(), batch_size=None, keys=True)
    with pytest.raises(TypeError, match="keys must be True or False"):
        loader(keyed(), keys=1)  # type: ignore[call-overload]
