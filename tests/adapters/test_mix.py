"""mix: batches mixed by a collate function are equal for any workers, after a resume, and what the definition says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, IMAGES, LENGTH, SEED, digest
from torch.utils.data import ConcatDataset, DataLoader, Subset, default_collate

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, KeyedSampler, loader, mix, peek

CLASSES = 5
BATCH = 4


class Labelled:
    """The contract's photographs with one of five labels."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return IMAGES[index], index % CLASSES


def dataset(**options: Any) -> AugmentedDataset:
    return AugmentedDataset(Labelled(), AUGMENT, seed=SEED, **options)


def loading(workers: int = 0, **options: Any) -> Any:
    return loader(
        dataset(), batch_size=BATCH, shuffle=True, collate_fn=mix(CLASSES), num_workers=workers, **options
    )


def content(batches: Any) -> list[tuple[bytes, list[list[float]]]]:
    return [(digest(images.numpy()), labels.tolist()) for images, labels in batches]


def expected(epoch: int) -> list[tuple[bytes, list[list[float]]]]:
    """Return what an epoch is, by the definition: the core's BatchMix at the key of each batch's first index."""
    order = ss.epoch_order(SEED, epoch, LENGTH).tolist()
    found = []
    for start in range(0, LENGTH, BATCH):
        chosen = order[start : start + BATCH]
        images = np.stack([AUGMENT(IMAGES[i], key=ss.SampleKey(SEED, epoch, i)) for i in chosen])
        labels = np.array([i % CLASSES for i in chosen])
        mixed, vectors = ss.BatchMix(CLASSES)(images, labels, key=ss.SampleKey(SEED, epoch, chosen[0]))
        found.append((digest(mixed), vectors.tolist()))
    return found


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_batches_are_those_of_the_definition(workers: int) -> None:
    batches = loading(workers)
    for epoch in range(2):
        assert content(batches) == expected(epoch)


def test_spawned_workers() -> None:
    assert content(loading(2, multiprocessing_context="spawn")) == expected(0)


def test_a_resume_and_a_look_ahead() -> None:
    batches = loading(2)
    begun = iter(batches)
    seen = content([next(begun), next(begun)])
    resumed = loading(1)
    resumed.load_state_dict(batches.state_dict())
    assert content([peek(resumed)]) == expected(0)[2:3]
    assert seen + content(resumed) == expected(0)


def test_a_loader_of_ones_own() -> None:
    keyed = KeyedSampler(ss.epoch_order(SEED, 0, LENGTH).tolist(), seed=SEED)
    own = DataLoader(
        dataset(), batch_size=BATCH, sampler=keyed, num_workers=1, collate_fn=mix(CLASSES, seed=SEED)
    )
    assert content(own) == expected(0)


def test_the_first_index_asked_for_counts_where_it_is_left_out() -> None:
    class Broken(Labelled):
        def __getitem__(self, index: int) -> Any:
            if index == 0:
                raise OSError("gone")
            return super().__getitem__(index)

    skipping = AugmentedDataset(Broken(), AUGMENT, seed=SEED, on_error="skip")
    with pytest.warns(UserWarning, match="gone"):
        batches = list(loader(skipping, batch_size=BATCH, collate_fn=mix(CLASSES)))
    images = np.stack([AUGMENT(IMAGES[i], key=ss.SampleKey(SEED, 0, i)) for i in (1, 2, 3)])
    mixed, _ = ss.BatchMix(CLASSES)(images, np.array([1, 2, 3]), key=ss.SampleKey(SEED, 0, 0))
    assert digest(batches[0][0].numpy()) == digest(mixed)


def test_wrappers_dicts_and_named_parts() -> None:
    subset = loader(Subset(dataset(), [7, 3]), batch_size=2, collate_fn=mix(CLASSES))
    assert next(iter(subset))[1].shape == (2, CLASSES)
    named = [
        {"photo": image, "class": label, "id": f"n{label}"}
        for image, label in map(Labelled().__getitem__, range(8))
    ]
    collate = mix(CLASSES, image="photo", label="class")
    batch = peek(
        loader(
            AugmentedDataset(named, AUGMENT, seed=SEED, targets={"photo": "image"}),
            batch_size=4,
            collate_fn=collate,
        )
    )
    assert batch["class"].shape == (4, CLASSES)
    assert batch["id"] == ["n0", "n1", "n2", "n3"]
    first = ConcatDataset([dataset(), dataset(index_offset=LENGTH)])
    assert len(list(loader(first, batch_size=BATCH, collate_fn=mix(CLASSES)))) == 12


def test_channels_first_tensors() -> None:
    photos = ss.Compose([*AUGMENT.transforms, ss.ToFloat(), ss.ToCHW()])
    chw = AugmentedDataset(Labelled(), photos, seed=SEED)
    images, _ = peek(loader(chw, batch_size=BATCH, collate_fn=mix(CLASSES, cutmix=0)))
    plain, _ = peek(loader(chw, batch_size=BATCH))
    drawn = ss.BatchMix(CLASSES, cutmix=0).params(ss.SampleKey(SEED, 0, 0), tuple(plain.shape))
    share = torch.tensor(drawn.share, dtype=torch.float32)
    other = torch.tensor(1 - drawn.share, dtype=torch.float32)
    assert torch.equal(images, plain * share + plain.roll(drawn.shift, 0) * other)


def test_wrong_use_is_named() -> None:
    with pytest.raises(
        RuntimeError, match=r"mix was called with the indices of no KeyedSampler: make the DataLoader"
    ):
        mix(CLASSES, seed=1)([Labelled()[0]])
    with pytest.raises(RuntimeError, match="indices of no KeyedSampler"):
        next(iter(DataLoader(dataset(), collate_fn=mix(CLASSES, seed=1))))
    keyed = KeyedSampler([0, 1], seed=SEED)
    with pytest.raises(RuntimeError, match="mix was called with no seed"):
        next(iter(DataLoader(dataset(), sampler=keyed, collate_fn=mix(CLASSES))))
    with pytest.raises(
        TypeError, match=r"mix needs a tensor at 'y' of the batch, which has \[0, 1\]: name the entries"
    ):
        peek(loader(dataset(), collate_fn=mix(CLASSES, label="y")))
    alone = AugmentedDataset(IMAGES, AUGMENT, seed=SEED)
    with pytest.raises(TypeError, match="mix needs a batch that is a tuple or a dict, got Tensor"):
        peek(loader(alone, collate_fn=mix(CLASSES)))


def test_a_collate_of_ones_own_is_mixed() -> None:
    def first_two(samples: Any) -> Any:
        return default_collate(samples[:2])

    images, labels = peek(loader(dataset(), batch_size=BATCH, collate_fn=mix(CLASSES, collate=first_two)))
    assert len(images) == len(labels) == 2
