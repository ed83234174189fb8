"""Samples that are mixed with others of their dataset, through PyTorch's loaders and what is put around datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from contract import (
    IMAGES,
    LENGTH,
    PARTNERS,
    SEED,
    SUBSET,
    Config,
    Photographs,
    check,
    compare,
    expected_of_partners,
    untouched_globals,
)
from PIL import Image
from torch.utils.data import ConcatDataset, DataLoader, Subset
from torch_driver import TorchDriver, items

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, DistributedKeyedSampler, Envelope, loader

MIX = ss.Compose([ss.RandomCrop(32), ss.MixUp(0.4, classes=LENGTH), ss.HorizontalFlip()])


def dataset(augment: Any = PARTNERS, base: Any = None, **options: Any) -> AugmentedDataset:
    return AugmentedDataset(Photographs() if base is None else base, augment, seed=SEED, **options)


class MixingDriver(TorchDriver):
    make_dataset = staticmethod(dataset)


DRIVER = MixingDriver()


@pytest.mark.parametrize("config", SUBSET, ids=str)
def test_content_and_order(config: Config) -> None:
    check(DRIVER, config, states=1, expected=expected_of_partners)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", list(DRIVER.scenarios()))
def test_scenario(name: str, workers: int) -> None:
    with untouched_globals(3, DRIVER.generators):
        passes = DRIVER.scenarios()[name](Config(workers, batch_size=3))
    compare(passes, shuffle=True, expected=expected_of_partners)


def test_ranks_together_give_the_epoch() -> None:
    found: list[tuple[int, bytes]] = []
    for rank in range(3):
        sampler = DistributedKeyedSampler(LENGTH, seed=SEED, num_replicas=3, rank=rank)
        found += items(DataLoader(dataset(), batch_size=2, sampler=sampler, num_workers=rank))
    # One comes twice, so that all ranks have as many, and its second occurrence is another.
    assert len(found) == LENGTH + 1
    assert set(expected_of_partners(0, shuffle=False)) < set(found)


def wanted(index: int, augment: Any = MIX, **options: Any) -> Any:
    return dataset(augment, **options).at(index, epoch=2)


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(one, other, strict=True))


def test_a_subset_outside_mixes_with_all_and_one_inside_with_its_own() -> None:
    places = [4, 9, 17]
    outside = Envelope(Subset(dataset(MIX), places))
    for place, index in enumerate(places):
        assert same(outside[ss.SampleIndex(place, epoch=2)], wanted(index))
    inside = dataset(MIX, Subset(Photographs(), places))
    for place, index in enumerate(places):
        labels = inside.at(place, epoch=2)[1]
        assert labels[index] > 0
        assert set(np.flatnonzero(labels)) <= set(places)


def test_concatenated_datasets_mix_within_themselves() -> None:
    first, second = (Subset(Photographs(), range(*ends)) for ends in ((0, 10), (10, LENGTH)))
    both = Envelope(
        ConcatDataset([dataset(MIX, first), dataset(MIX, second, index_offset=10)])  # type: ignore[list-item]
    )
    for index in range(LENGTH):
        found = np.flatnonzero(both[ss.SampleIndex(index, epoch=2)][1])
        assert {int(one) < 10 for one in found} == {index < 10}


@pytest.mark.filterwarnings("error")
def test_a_keyed_dataset_inside_serves_partners_without_a_warning() -> None:
    inner = AugmentedDataset(Photographs(), ss.RandomCrop(32), seed=7)
    outer = dataset(ss.Compose([ss.MixUp(classes=LENGTH)]), Subset(inner, range(LENGTH)))
    by_hand = dataset(
        ss.Compose([ss.MixUp(classes=LENGTH)]), [inner.at(index, epoch=1) for index in range(LENGTH)]
    )
    for workers, around in ((0, outer), (2, outer), (0, Subset(outer, range(LENGTH)))):
        batches = loader(around, batch_size=4, num_workers=workers)  # type: ignore[arg-type]
        list(batches)
        images = torch.cat([one for one, _ in batches])
        for index in range(LENGTH):
            np.testing.assert_array_equal(images[index], by_hand.at(index, epoch=1)[0])


@pytest.mark.parametrize("form", ["tensors", "PIL", "dict of tensors", "tensor labels"])
def test_forms_of_samples(form: str) -> None:
    def base(index: int) -> Any:
        image = IMAGES[index]
        if form == "PIL":
            return Image.fromarray(image), index
        if form == "tensor labels":
            return image, torch.tensor(index)
        tensor = torch.from_numpy(image.transpose(2, 0, 1).copy())
        return (
            {"image": tensor, "label": torch.tensor(index)} if form == "dict of tensors" else (tensor, index)
        )

    made = dataset(MIX, [base(index) for index in range(LENGTH)])
    for index in (0, 5):
        image, label = wanted(index)
        one = made.at(index, epoch=2)
        found = (one["image"], one["label"]) if isinstance(one, dict) else one
        assert isinstance(found[0], torch.Tensor) == ("tensors" in form)
        pixels = np.moveaxis(found[0].numpy(), 0, -1) if isinstance(found[0], torch.Tensor) else found[0]
        assert same((pixels, found[1]), (image, label))
    batch = list(loader(made, batch_size=4))[0]  # noqa: RUF015  # the whole pass
    labels = batch["label"] if isinstance(batch, dict) else batch[1]
    assert labels.shape == (4, LENGTH)
    assert labels.dtype == torch.float32


def test_epochs_occurrences_and_repeated_reads() -> None:
    made = dataset(MIX)
    assert same(made.at(3, epoch=1), made.at(3, epoch=1))
    for other in (made.at(3, epoch=2), made.at(3, epoch=1, occurrence=1), made.at(3, epoch=1, view=1)):
        assert not same(made.at(3, epoch=1), other)


class Drawing(Photographs):
    def __getitem__(self, index: int) -> Any:
        image, label = super().__getitem__(index)
        return (image // 2 + ss.generator().integers(0, 99, image.shape)).astype(np.uint8), label


def test_a_base_that_draws_counts_its_calls_in_each_read_by_itself() -> None:
    plain = dataset(None, Drawing())
    drawn = [plain.at(index, epoch=0) for index in range(LENGTH)]
    mosaic = ss.Compose([ss.Mosaic(64, label=None)])
    for base, around in ((Drawing(), True), (Drawing(), False), (drawn, True)):
        mixed = dataset(mosaic, base)
        batches = loader(Subset(mixed, range(LENGTH)) if around else mixed, batch_size=4)  # type: ignore[arg-type]
        images = torch.cat([one for one, _ in batches])
        for index in range(LENGTH):
            np.testing.assert_array_equal(images[index], dataset(mosaic, drawn).at(index, epoch=0)[0])


class Broken(Photographs):
    def __getitem__(self, index: int) -> Any:
        if index == 6:
            raise OSError("truncated")
        return super().__getitem__(index)


@pytest.mark.parametrize("workers", [0, 2])
def test_samples_with_broken_partners_are_left_out_or_made_with_others(workers: int) -> None:
    for answer in ("skip", "replace"):
        made = dataset(MIX, Broken(), on_error=answer)
        with pytest.warns(UserWarning, match=r"failed in epoch 0.*truncated"):
            batches = list(loader(made, batch_size=4, num_workers=workers))
        labels = torch.cat([label for _, label in batches])
        assert len(labels) < LENGTH - 1 if answer == "skip" else len(labels) == LENGTH
        assert not labels[:, 6].any()


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_in_a_worker_names_both(workers: int) -> None:
    hit = next(
        k
        for k in range(LENGTH)
        if MIX.params(ss.SampleKey(SEED, 0, k), ss.Info((40, 40, 3), length=LENGTH))[1].params.partners
        == (6,)
    )
    batches = loader(Subset(dataset(MIX, Broken()), [hit]), batch_size=1, num_workers=workers)  # type: ignore[arg-type]
    where = "worker 0" if workers else "the main process"
    with pytest.raises(
        ss.SampleError, match=f"sample {hit} failed in epoch 0, in {where}, in MixUp: its partner, sample 6, "
    ):
        list(batches)


def test_a_stream_refuses() -> None:
    stream = AugmentedIterable([(image, 0) for image in IMAGES], MIX, seed=1, id=None, split=True)
    with pytest.raises(Exception, match="there is no dataset"):
        list(loader(stream, batch_size=2))
