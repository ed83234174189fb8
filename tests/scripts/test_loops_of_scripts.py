"""Structures of public training scripts, in own words: with a line or two each has the same bytes for any workers, and resumes.

The data carry marks, so that what belongs together is seen to stay together: a mask is its image's red channel, a dot is at each joint.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import BatchSampler, ConcatDataset, RandomSampler, Sampler

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

Make = Callable[[int], Any]


def content(batches: Any) -> list[bytes]:
    """Return the bytes of each batch."""

    def flat(part: Any) -> bytes:
        if isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, list | tuple):
            return b"|".join(map(flat, part))
        return str(part.shape).encode() + part.numpy().tobytes()

    return [flat(batch) for batch in batches]


def scramble(seed: int) -> None:
    """Set the global generators, as another run of the script would find them."""
    random.seed(seed), np.random.seed(seed), torch.manual_seed(seed)


def check_script(make: Make, *, epochs: int = 2, differ: bool = True) -> None:
    """Check that a script has the same bytes for 0 and 2 workers and any state of the generators, and resumes within an epoch."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs = []
        for seed, workers in ((1, 0), (2, 2)):
            scramble(seed)
            batches = make(workers)
            runs.append([content(batches) for _ in range(epochs)])
        assert runs[0] == runs[1]
        assert (runs[0][0] != runs[0][1]) == differ
        for stopped, resumed in ((0, 2), (2, 0)):
            before = make(stopped)
            under_way = iter(before)
            assert content(islice(under_way, 2)) == runs[0][0][:2]
            after = make(resumed)
            after.load_state_dict(before.state_dict())
            assert content(after) == runs[0][0][2:]
            by_step = make(resumed)
            by_step.resume(step=len(runs[0][0]) + 1)
            assert content(by_step) == runs[0][1][1:]


# 1: segmentation, with flips and crops drawn by random for both parts


class Slices:
    """Images whose red channel is their mask."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        mask = (np.add.outer(np.arange(16), np.arange(16) * index) % 5 < 2).astype(np.uint8)
        image = np.stack([mask, np.full_like(mask, index), mask * 0], -1)
        top, left = random.randint(0, 8), random.randint(0, 8)
        image, mask = (part[top : top + 8, left : left + 8] for part in (image, mask))
        if random.random() < 0.5:
            image, mask = image[:, ::-1], mask[:, ::-1]
        return image.copy(), mask.copy()


def test_a_mask_stays_with_its_image() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Slices(), seed=42, bridge=True)
        return loader(dataset, batch_size=4, shuffle=True, num_workers=workers)

    check_script(make)
    for images, masks in make(2):
        assert torch.equal(images[..., 0], masks)


# 2: clips of a video; the frames have one crop, and their numbers in the blue channel


class Clips:
    """Four frames in a row, from a place that is drawn."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        start, left = np.random.randint(20), random.randrange(8)
        frames = np.zeros((4, 8, 16, 3), np.uint8)
        frames[..., 0], frames[..., 1] = index, np.arange(16)
        frames[..., 2] = (start + np.arange(4))[:, None, None]
        return frames[:, :, left : left + 8], index


def test_frames_of_a_clip_follow_each_other() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Clips(), seed=42, bridge=True)
        return loader(dataset, batch_size=4, shuffle=True, num_workers=workers)

    check_script(make)
    for clips, labels in make(2):
        blue, columns = clips[..., 0, 0, 2].long(), clips[:, :, 0, :, 1]
        assert (blue.diff(dim=1) == 1).all()
        assert (columns == columns[:, :1]).all()  # one crop for all frames
        assert torch.equal(clips[:, 0, 0, 0, 0].long(), labels)


# 3: an epoch function that makes its loader


def train_epoch(dataset: Any, epoch: int | None, workers: int) -> list[bytes]:
    batches = loader(dataset, batch_size=4, shuffle=True, num_workers=workers)
    if epoch is not None:
        batches.set_epoch(epoch)
    return content(batches)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_in_the_epoch_function(workers: int) -> None:
    dataset = AugmentedDataset(Slices(), seed=42, bridge=True)
    whole = loader(dataset, batch_size=4, shuffle=True)
    right = [content(whole) for _ in range(3)]
    with pytest.warns(UserWarning, match="epoch 0 is served again"):
        told = [train_epoch(dataset, None, workers) for _ in range(3)]
    assert told == [right[0]] * 3
    assert [train_epoch(dataset, epoch, workers) for epoch in range(3)] == right


# 4: volumes, whose image and label have lists of transforms with a RandomState of one seed each


class Turned:
    def __init__(self, seed: int) -> None:
        self.random = np.random.RandomState(seed)

    def __call__(self, volume: Any) -> Any:
        return np.rot90(volume, self.random.randint(4), (1, 2)).copy()


class Flipped(Turned):
    def __call__(self, volume: Any) -> Any:
        return volume[:, ::-1].copy() if self.random.uniform() > 0.5 else volume


class Pairs:
    """Volumes whose label is the volume itself: it must turn and flip with it."""

    def __init__(self) -> None:
        self.of_image, self.of_label = [Turned(47), Flipped(47)], [Turned(47), Flipped(47)]

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        image = label = np.arange(18).reshape(2, 3, 3) + 100 * index
        for turn, same in zip(self.of_image, self.of_label, strict=True):
            image, label = turn(image), same(label)
        return image, label


def test_a_label_turns_with_its_volume_and_a_flip_with_no_turn() -> None:
    def make(workers: int) -> Any:
        with pytest.warns(UserWarning, match="k-th with k-th where more than two were"):
            dataset = AugmentedDataset(Pairs(), seed=42, bridge=True)
        return loader(dataset, batch_size=4, shuffle=True, num_workers=workers)

    check_script(make)
    batches, corners = make(0), set()
    for _ in range(12):
        for images, labels in batches:
            assert torch.equal(images, labels)
            corners |= {tuple((row % 100).tolist()) for row in images[:, 0, 0]}
    assert len(corners) == 8  # all turns, flipped and not


# 5: files of volumes, each with transforms that keep generators


class Volume:
    """A file of one volume, whose transforms draw from a RandomState each."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.shifts, self.noise = (np.random.RandomState(100 * number + kind) for kind in range(2))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        raw = np.full((2, 4, 4), self.number, np.float32)
        shift = self.shifts.randint(4)
        label = np.roll(raw, shift, 1) + shift
        return label + self.noise.normal(size=raw.shape).astype(np.float32) * 0.01, label


def test_files_of_volumes() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(ConcatDataset([Volume(one) for one in range(3)]), seed=42, bridge=True)
        return loader(dataset, batch_size=3, shuffle=True, num_workers=workers)

    check_script(make)
    for raw, label in make(0):
        assert (raw - label).abs().max() < 0.1  # the label has the shift of its volume


# 6: series, a weak and a strong view of each, and the same made once in the dataset


class Series:
    def __init__(self, *, once: bool = False) -> None:
        self.series = np.arange(12.0)[:, None] + np.zeros(16)
        self.weak = self.series + np.random.normal(size=self.series.shape) if once else None

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        one = self.series[index]
        if self.weak is not None:
            return self.weak[index], one
        weak = one * np.random.normal(1, 0.01, 16)
        parts = np.array_split(np.arange(16), random.randint(2, 5))
        random.shuffle(parts)
        return weak, one[np.concatenate(parts)] + np.arange(16)


def test_a_weak_and_a_strong_view_of_a_series() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Series(), seed=42, bridge=True)
        return loader(dataset, batch_size=4, shuffle=True, num_workers=workers)

    check_script(make)


def test_series_that_are_augmented_once_are_told() -> None:
    batches = loader(AugmentedDataset(Series(once=True), seed=42, bridge=True), batch_size=4)
    with pytest.warns(UserWarning, match="what is augmented once, in __init__"):
        epochs = [content(batches) for _ in range(4)]
    assert epochs[0] == epochs[1]


# 7: poses, a dot at each joint


class Poses:
    """Images with a bright dot at each joint."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> dict[str, Any]:
        joints = np.array([[4 + index % 5, 6], [10, 3 + index % 7], [12, 12]])
        image = np.zeros((20, 20, 3), np.uint8)
        image[joints[:, 1], joints[:, 0]] = 255
        return {"image": image, "keypoints": joints.astype(np.float64)}


def test_dots_stay_at_their_joints() -> None:
    augment = ss.Compose([ss.HorizontalFlip(), ss.RandomCrop(18), ss.VerticalFlip()])

    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Poses(), augment, seed=42)
        return loader(dataset, batch_size=1, shuffle=True, num_workers=workers)

    check_script(make)
    for batch in make(2):
        image, joints = batch["image"][0].numpy(), batch["keypoints"][0].numpy().round().astype(int)
        inside = [(x, y) for x, y in joints.tolist() if 0 <= x < 18 and 0 <= y < 18]
        assert inside
        assert all(image[y, x].min() == 255 for x, y in inside)


# 8: training and, after each epoch, an evaluation with noise of its own, by workers that stay


@pytest.mark.parametrize("workers", [0, 2])
def test_an_evaluation_after_each_epoch(workers: int) -> None:
    def make(**options: Any) -> Any:
        dataset = AugmentedDataset(Series(), seed=42, bridge=True, **options)
        return loader(dataset, batch_size=4, num_workers=workers, persistent_workers=workers > 0)

    train, valid = make(), make(epoch=ss.VALIDATION_EPOCH)
    alone = AugmentedDataset(Series(), seed=42, bridge=True)
    evaluations = []
    for epoch in range(3):
        valid.dataset.set_epoch(epoch)  # as trainers do with whatever they read
        assert content(train)[0] == content(loader(alone, batch_size=4, epoch=epoch))[0]
        evaluations.append(content(valid))
    right = [alone.at(index, epoch=ss.VALIDATION_EPOCH)[0] for index in range(4)]
    assert evaluations[0] == evaluations[1] == evaluations[2]
    assert np.array_equal(next(iter(valid))[0].numpy(), right)


# 9: text lines; a sampler draws where each batch of neighbours begins, a collate function the width


class Lines:
    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        return np.array([index, np.random.randint(10**6)]), index


class Neighbours(Sampler[int]):
    def __init__(self, count: int, size: int) -> None:
        self.count, self.size = count, size

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        for _ in range(self.count // self.size):
            start = random.randint(0, self.count - self.size)
            yield from range(start, start + self.size)


def padded(samples: Any) -> Any:
    width = random.choice((2, 3, 4))
    rows = [np.pad(line, (0, width - 2)) for line, _ in samples]
    return torch.tensor(np.array(rows)), torch.tensor([label for _, label in samples])


def test_a_sampler_of_neighbours_and_a_collate_function_that_draws() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Lines(), seed=42, bridge=True)
        return loader(
            dataset, batch_size=4, sampler=Neighbours(24, 4), collate_fn=padded, num_workers=workers
        )

    check_script(make)
    for rows, labels in make(0):
        assert rows[:, 0].tolist() == labels.tolist() == list(range(labels[0], labels[0] + 4))


# 10: captions in turn, one in each epoch, which the dataset chooses by its own epoch


class Captions:
    """Images with three captions each; the caption of an epoch, and words that are left out of it."""

    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        draws = np.random.default_rng((42, self.epoch, index))
        words = np.full(6, 10 * index + self.epoch % 3)
        words[draws.permutation(6)[:2]] = -1
        return np.full((2, 2), index, np.uint8), words


@pytest.mark.parametrize("persistent", [False, True])
def test_captions_in_turn(persistent: bool) -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Captions(), seed=42)
        kept = persistent and workers > 0
        return loader(dataset, batch_size=4, shuffle=True, num_workers=workers, persistent_workers=kept)

    check_script(make)
    batches = make(2)
    for epoch in range(4):
        for images, words in batches:
            assert (words.amax(1) == 10 * images[:, 0, 0].long() + epoch % 3).all()
            assert ((words == -1).sum(1) == 2).all()


# 11: another image size for each group of samples


class Sizes:
    """Images of a size that ten samples share."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> Any:
        key = ss.current_key()
        assert key is not None
        group = ss.draws(seed=key.seed, epoch=key.epoch, index=index // 10, name="size")
        size = (4, 6, 8)[group.integer(3)]
        return np.full((size, size), index, np.uint8), np.random.randint(10**6)


def test_a_size_for_each_group() -> None:
    def make(workers: int) -> Any:
        dataset = AugmentedDataset(Sizes(), seed=42, bridge=True)
        groups = BatchSampler(range(40), 10, drop_last=False)
        return loader(dataset, batch_sampler=groups, num_workers=workers)

    check_script(make)
    assert {images.shape[1] for _ in range(3) for images, _ in make(0)} <= {4, 6, 8}


# 12: detection; mosaics that end for the last epochs, batches of a whole training, a start that a checkpoint has


class Mosaics:
    mosaic = True

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        others = [random.randrange(12) for _ in range(3)] if self.mosaic else [index] * 3
        return np.array([index, *others])


@pytest.mark.parametrize("workers", [0, 2])
def test_mosaics_that_end(workers: int) -> None:
    def run(workers: int, first: int) -> list[Any]:
        batches = loader(
            AugmentedDataset(Mosaics(), seed=42, bridge=True), batch_size=4, shuffle=True, num_workers=workers
        )
        batches.resume(step=0, epoch=first)
        result = []
        for epoch in range(first, 3):
            batches.dataset.mosaic = epoch < 2
            result.append([batch.tolist() for batch in batches])
        return result

    whole = run(workers, 0)
    assert whole == run(0, 0)
    assert run(workers, 2) == whole[2:]
    assert all(len(set(row)) == 1 for batch in whole[2] for row in batch)
    assert not all(len(set(row)) == 1 for batch in whole[1] for row in batch)


class Iterations(BatchSampler):
    """All batches of a training, one after another, counted on from a start."""

    def __init__(self, batch_sampler: Any, iterations: int) -> None:
        self.batch_sampler, self.iterations, self.start_iter = batch_sampler, iterations, 0

    def __len__(self) -> int:
        return self.iterations

    def __iter__(self) -> Iterator[Any]:
        iteration = self.start_iter
        while iteration < self.iterations:
            yield from islice(self.batch_sampler, self.iterations - iteration)
            iteration += len(self.batch_sampler)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_training_of_iterations(workers: int) -> None:
    def make() -> Any:
        dataset = AugmentedDataset(Mosaics(), seed=42, bridge=True)
        batches = Iterations(BatchSampler(RandomSampler(dataset), 4, drop_last=False), 8)
        return loader(dataset, batch_sampler=batches, num_workers=workers)

    whole = content(make())
    assert len(set(whole)) == 8
    resumed = make()
    resumed.resume(step=5)
    assert content(resumed) == whole[5:]
    unchanged = make()
    unchanged.batch_sampler.start_iter = 5
    with pytest.warns(UserWarning, match=r"call loader.resume\(step=5\)"):
        assert content(unchanged) == whole[:3]
