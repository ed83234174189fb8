"""A dataset has its base's attributes, and what is set on it reaches whoever reads it."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, IMAGES, LENGTH, SEED, Photographs, digest
from PIL import Image
from torch.utils.data import ConcatDataset, DataLoader, default_collate

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader
from seedsafe_torch.cell import EpochCell

CROP = ss.Compose([ss.RandomCrop(32), ss.Normalize(0.5, 0.25), ss.ToCHW()])


class Cifar:
    """Of torchvision's kind: pictures, a transform that others set, labels as `targets`."""

    classes = ("even", "odd")

    def __init__(self, transform: Any = None) -> None:
        self.transform = transform
        self.targets = [index % 2 for index in range(LENGTH)]

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        picture = Image.fromarray(IMAGES[index])
        return picture if self.transform is None else self.transform(picture), self.targets[index]

    def collate_fn(self, samples: Any) -> Any:
        images, labels = default_collate(samples)
        return {"images": images, "labels": labels}

    @property
    def broken(self) -> Any:
        raise AttributeError("of its own")


def test_a_dataset_of_pictures_is_trained_on_as_it_is() -> None:
    dataset = AugmentedDataset(Cifar(), CROP, seed=SEED)
    for workers in (0, 2):
        loading = loader(dataset, batch_size=5, num_workers=workers, epoch=0, collate_fn=dataset.collate_fn)
        images = torch.cat([batch["images"] for batch in loading])
        for index in range(LENGTH):
            wanted = CROP(IMAGES[index], key=ss.SampleKey(SEED, 0, index))
            assert torch.equal(images[index], torch.from_numpy(wanted))


def test_attributes_are_the_bases() -> None:
    base = Cifar()
    dataset = AugmentedDataset(base, AUGMENT, seed=SEED)
    assert dataset.classes == ("even", "odd")
    assert dataset.targets is base.targets
    assert dataset.collate_fn == base.collate_fn
    assert dataset.transform is None
    assert (dataset.base, dataset.augment, dataset.seed) == (base, AUGMENT, SEED)
    assert not hasattr(dataset, "no_such_thing")
    with pytest.raises(
        AttributeError, match="neither AugmentedDataset nor its base, a Cifar, has the attribute 'nothing'"
    ):
        _ = dataset.nothing
    images = type("ImageFolder", (Cifar,), {})()
    with pytest.raises(AttributeError, match="nor its base, an ImageFolder, has"):
        _ = AugmentedDataset(images, AUGMENT, seed=SEED).clases
    with pytest.raises(AttributeError) as raised:
        _ = dataset.broken
    assert "of its own" in str(raised.value.__cause__)
    assert not hasattr(dataset, "_private")
    assert not hasattr(AugmentedDataset(np.zeros((3, 4, 4)), seed=0), "__array__")


def test_a_dataset_shows_what_it_is_made_of() -> None:
    dataset = AugmentedDataset([1], ss.Compose([ss.RandomCrop(2)]), seed=7)
    assert repr(dataset) == "AugmentedDataset([1], Compose([RandomCrop(size=(2, 2))]), seed=7)"


class Loud(list[Any]):
    """A container whose repr must not be asked for."""

    def __repr__(self) -> str:
        raise AssertionError("the repr of a large container")


def test_of_a_long_base_only_type_and_length_are_shown() -> None:
    for base, shown in (
        (Loud(range(5000)), "<Loud of length 5000>"),
        ([[0] * 5000], f"[[{'0, ' * 32}...]]"),
        (torch.utils.data.TensorDataset(torch.zeros(5000)), "<TensorDataset of length 5000>"),
        ([(1, "a" * 40)], f"[(1, '{'a' * 40}')]"),
    ):
        assert repr(AugmentedDataset(base, seed=7)) == f"AugmentedDataset({shown}, None, seed=7)"


def test_what_the_base_has_is_set_there() -> None:
    base = Cifar()
    dataset = AugmentedDataset(base, seed=SEED)
    dataset.transform = lambda picture: np.asarray(picture)[:8]
    assert base.transform is dataset.transform
    assert dataset[3][0].shape[0] == 8
    dataset.mine = 5
    assert dataset.mine == 5
    assert not hasattr(base, "mine")
    dataset.augment = ss.Compose([ss.RandomCrop(2)])
    assert dataset[3][0].shape == (2, 2, 3)
    dataset.base = Photographs()
    assert dataset[3][1] == 3
    dataset.epoch = 7
    assert dataset.epoch == 7


def test_a_bridge_looks_for_generators_again_when_something_is_set() -> None:
    class Noise:
        def __init__(self, seed: int) -> None:
            self.rng = np.random.default_rng(seed)

        def __call__(self, picture: Any) -> Any:
            return np.asarray(picture) * self.rng.random()

    found = []
    for seed in (1, 2):
        dataset = AugmentedDataset(Cifar(np.asarray), seed=SEED, bridge=True)
        dataset[0]
        dataset.transform = Noise(seed)
        found.append(digest(dataset.at(3, epoch=1)[0]))
    assert found[0] == found[1]


class Named(AugmentedDataset):
    def __init__(self, base: Any) -> None:
        self.before = 1
        super().__init__(base, AUGMENT, seed=SEED)
        self.after = 2

    @property
    def both(self) -> int:
        return self.before + self.after


def test_subclasses_pickles_and_copies() -> None:
    dataset = Named(Cifar())
    dataset.transform = np.asarray
    for one in (dataset, pickle.loads(pickle.dumps(dataset)), copy.copy(dataset), copy.deepcopy(dataset)):
        assert type(one) is Named
        assert one.both == 3
        assert one.classes == ("even", "odd")
        assert digest(one.at(4, epoch=2)[0]) == digest(AUGMENT(IMAGES[4], key=ss.SampleKey(SEED, 2, 4)))
    other = copy.deepcopy(dataset)
    other.transform = None
    assert dataset.transform is np.asarray


def test_the_parts_of_a_concatenated_base_are_not_taken_for_its_own() -> None:
    both = ConcatDataset([Photographs(), Photographs()])
    dataset = AugmentedDataset(both, AUGMENT, seed=SEED)
    assert dataset.cumulative_sizes == [LENGTH, 2 * LENGTH]
    assert len(list(loader(dataset, batch_size=10))) == 5


# The cell behind `set_epoch`


@pytest.mark.parametrize("length", [None, 0, 1, 1000, 2**20, 2**20 + 1, 10**9])
def test_the_cell_takes_a_bounded_piece_of_memory(length: int | None) -> None:
    cell = EpochCell(length)
    assert cell.shared.marks.nbytes <= min(length or 0, 2**20) + 24
    assert cell.serve((length or 1) - 1) == 0


@pytest.mark.parametrize("length", [100, 5 * 2**20 + 3])
def test_an_epoch_read_twice_is_noticed_and_once_is_not(length: int) -> None:
    cell = EpochCell(length)
    some = range(length) if length < 10**6 else range(length // 2, length // 2 + 2000)
    for epoch in range(3):
        cell.set_epoch(epoch)
        assert {cell.serve(index) for index in some} == {epoch}
    with pytest.warns(UserWarning, match="is read a second time in epoch 2") as caught:
        list(map(cell.serve, some))
    assert len(caught) == 1
    watched = [
        index for index in some if index % cell._step == index // cell._step * 0x9E3779B1 % 2**32 % cell._step
    ]
    assert len(watched) >= len(some) // (cell._step + 1)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are counted in /proc")
def test_two_thousand_datasets_keep_no_descriptor_and_spawned_workers_none_for_ever() -> None:
    gc.collect()
    before = descriptors()
    kept: list[Any] = [AugmentedDataset(IMAGES[:4], seed=SEED) for _ in range(2000)]
    kept += [AugmentedIterable([IMAGES[0]], AUGMENT, seed=SEED, id=None, split=True) for _ in range(100)]
    assert descriptors() == before
    del kept
    list(DataLoader(IMAGES[:2], num_workers=1, multiprocessing_context="spawn"))  # type: ignore[arg-type]  # the tracker's
    gc.collect()
    before = descriptors()
    dataset = AugmentedDataset(IMAGES[:4], seed=SEED)
    assert len(list(DataLoader(dataset, num_workers=1, multiprocessing_context="spawn"))) == 4
    del dataset
    gc.collect()
    end = time.monotonic() + 30
    while descriptors() != before and time.monotonic() < end:
        gc.collect()  # a queue closes its pipe in a thread of its own
    assert descriptors() == before


def test_an_epoch_reaches_workers_that_were_forked_before_others_were_spawned() -> None:
    dataset = AugmentedDataset(Photographs(), AUGMENT, seed=SEED)
    options: dict[str, Any] = {"batch_size": None, "num_workers": 1, "persistent_workers": True}
    forked, spawned = (
        DataLoader(dataset, multiprocessing_context=method, **options) for method in ("fork", "spawn")
    )
    for epoch, loading in enumerate((forked, spawned, forked, spawned)):
        dataset.set_epoch(epoch)
        wanted = [
            digest(AUGMENT(IMAGES[index], key=ss.SampleKey(SEED, epoch, index))) for index in range(LENGTH)
        ]
        assert [digest(np.asarray(image)) for image, _ in loading] == wanted


WITHOUT = """
import numpy as np
import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader
dataset = AugmentedDataset(np.zeros((4, 8, 8), np.uint8), ss.HorizontalFlip(), seed=42)
stream = AugmentedIterable(list(dataset), ss.HorizontalFlip(), seed=42, id=None, split=True)
print(len(list(loader(dataset))), len(list(loader(stream))), len(list(dataset)))
"""


@pytest.mark.parametrize("how", ["size=64k", "ro"])
def test_no_shared_memory_is_needed_without_workers(how: str) -> None:
    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False).returncode:
        pytest.skip("this system does not let a test mount another /dev/shm")
    full = f"mount -t tmpfs -o {how} tmpfs /dev/shm && {{ cat /dev/zero > /dev/shm/full; true; }}"
    command = [
        "unshare",
        "--map-root-user",
        "--mount",
        "bash",
        "-c",
        f"{full} && exec {sys.executable} -c '{WITHOUT}'",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout == "4 4 4\n", done.stderr
