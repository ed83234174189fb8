"""The cases of the original post in torch: the usual code as it behaves today, then keyed.

The first half of each test states what torch does. If one fails after an update, torch has changed: then
docs/explanation/the-bug.md and its table need the news.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from cases_usual import Corrupted, Landmarks, Numbered, Segments, ThreeNumbers
from torch.utils.data import DataLoader

import seedsafe as ss
from demo import inputs
from seedsafe_torch import AugmentedDataset, loader

EPOCHS, WORKERS = 2, 4


@pytest.fixture(autouse=True)
def _more_workers_than_cores() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create", category=UserWarning)
        yield


def passes(loading: Any, part: Any = None) -> list[np.ndarray]:
    """Return what each epoch delivers, one row a sample."""
    found = []
    for _ in range(EPOCHS):
        batches = [np.asarray(batch if part is None else batch[part]) for batch in loading]
        found.append(np.concatenate(batches))
    return found


def repeats(epochs: list[np.ndarray]) -> tuple[int, int]:
    """Return the rows that came before: in their own epoch, and in the whole run."""
    rows = [[row.tobytes() for row in epoch] for epoch in epochs]
    every = [row for epoch in rows for row in epoch]
    return sum(len(epoch) - len(set(epoch)) for epoch in rows), len(every) - len(set(every))


def usual(dataset: Any, **options: Any) -> DataLoader:
    return DataLoader(dataset, batch_size=2, num_workers=WORKERS, **options)


def keyed(samples: Any, augment: Any, part: Any) -> list[np.ndarray]:
    """Return what seedsafe delivers, after checking that the number of workers makes no difference."""
    runs = [
        passes(
            loader(AugmentedDataset(Numbered(samples), augment, seed=42), batch_size=2, num_workers=workers),
            part,
        )
        for workers in (0, 2, 4)
    ]
    for other in runs[1:]:
        for got, expected in zip(other, runs[0], strict=True):
            np.testing.assert_array_equal(got, expected, strict=True)
    return runs[0]


def drawn(samples: Any, augment: ss.Compose, shape: Any) -> list[np.ndarray]:
    """Return the numbers drawn for each sample of each epoch."""
    return [
        np.array(
            [
                [number for one in augment.params(ss.SampleKey(42, epoch, i), shape) for number in one.params]
                for i in range(len(samples))
            ]
        )
        for epoch in range(EPOCHS)
    ]


def recipe_of_2019(worker: int) -> None:
    np.random.seed((int(np.random.get_state()[1][0]) + worker) % 2**32)


def seed_and_worker(seed: int, worker: int) -> None:
    np.random.seed(seed + worker)


class TestThreeNumbers:
    def test_the_global_generator_is_cured(self) -> None:
        assert repeats(passes(usual(ThreeNumbers(None)))) == (0, 0)

    @pytest.mark.parametrize("seed", [0, None])
    @pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
    def test_a_stored_generator_repeats(self, make: Any, seed: int | None) -> None:
        first, second = passes(usual(ThreeNumbers(make(seed))))
        assert repeats([first, second]) == (24, 28)
        np.testing.assert_array_equal(first, second)

    def test_persistent_workers_repeat_each_other_only(self) -> None:
        assert repeats(passes(usual(ThreeNumbers(np.random.default_rng(0)), persistent_workers=True))) == (
            24,
            24,
        )

    @pytest.mark.parametrize("init", [recipe_of_2019, partial(seed_and_worker, 1)])
    def test_the_old_cures_repeat_every_epoch(self, init: Any) -> None:
        first, second = passes(usual(ThreeNumbers(None), worker_init_fn=init))
        assert repeats([first, second]) == (0, 16)

    @pytest.mark.parametrize("start", ["spawn", "forkserver"])
    def test_a_stored_generator_repeats_however_workers_start(self, start: str) -> None:
        loading = DataLoader(
            ThreeNumbers(np.random.default_rng(0)),
            batch_size=2,
            num_workers=2,
            multiprocessing_context=start,
        )
        assert repeats(passes(loading)) == (16, 24)

    def test_the_global_generator_depends_on_the_number_of_workers(self) -> None:
        found = {}
        for workers in (1, 2, 4):
            torch.manual_seed(0)
            found[workers] = passes(DataLoader(ThreeNumbers(None), batch_size=2, num_workers=workers))[0]
        torch.manual_seed(0)
        again = passes(DataLoader(ThreeNumbers(None), batch_size=2, num_workers=4))[0]
        np.testing.assert_array_equal(again, found[4])
        for one, other in ((1, 2), (1, 4), (2, 4)):
            assert not np.array_equal(found[one], found[other])

    def test_keyed(self) -> None:
        numbers = [
            passes(
                loader(AugmentedDataset(Numbers(), numbers_of, seed=42), batch_size=2, num_workers=workers)
            )
            for workers in (0, 2, 4)
        ]
        assert repeats(numbers[0]) == (0, 0)
        for other in numbers[1:]:
            np.testing.assert_array_equal(other, numbers[0])


class Numbers:
    """Three zeros a sample."""

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> np.ndarray:
        return np.zeros(3)


def numbers_of(sample: np.ndarray, *, key: ss.SampleKey) -> np.ndarray:
    """Return three random numbers of a key."""
    return sample + ss.generator(key).integers(0, 1000, 3)


# Placed by hand, x and y: the astronaut's pupils, nose's tip and corners of the mouth, as they lie in the picture.
FACE = np.array([[203.0, 100.0], [247.0, 103.0], [222.0, 126.0], [205.0, 140.0], [243.0, 141.0]])
SMALL_FACES = {  # by position in scikit-image's subset of Labeled Faces in the Wild
    0: np.array([[8.0, 8.0], [16.0, 8.0], [12.0, 14.0], [9.0, 19.0], [15.0, 19.0]]),
    2: np.array([[4.0, 8.0], [13.0, 7.0], [9.0, 13.0], [6.0, 18.0], [14.0, 18.0]]),
    3: np.array([[5.0, 9.0], [14.0, 9.0], [10.0, 15.0], [7.0, 18.0], [14.0, 18.0]]),
    7: np.array([[5.0, 8.0], [14.0, 8.0], [10.0, 14.0], [8.0, 19.0], [14.0, 19.0]]),
}


def portraits() -> list[dict[str, np.ndarray]]:
    """Return 16 windows of a portrait with its landmarks, as samples."""
    image = inputs.photographs()["astronaut"]
    places = [(top, left) for top in (0, 8, 16, 24) for left in (130, 138, 146, 154)]
    return [
        {"image": np.ascontiguousarray(image[t : t + 200, x : x + 160]), "keypoints": FACE - (x, t)}
        for t, x in places
    ]


def number_pixels(image: np.ndarray) -> np.ndarray:
    """Return a picture with its rows and columns as two more channels, so that no two pixels are alike."""
    rows, columns = np.indices(image.shape[:2], np.uint8)
    return np.dstack([image, rows, columns])


class TestLandmarks:
    def test_the_tutorials_crop_repeats_with_a_stored_generator(self) -> None:
        first, second = passes(usual(Landmarks(portraits(), 128)), "drawn")
        assert repeats([first])[0] == 12
        np.testing.assert_array_equal(first, second)

    def test_keyed(self) -> None:
        samples, augment = portraits(), ss.Compose([ss.RandomCrop(128)])
        images, points = keyed(samples, augment, "image"), keyed(samples, augment, "keypoints")
        windows = drawn(samples, augment, (200, 160, 3))
        # Of 73 by 33 places, two may coincide.
        assert len(np.unique(np.concatenate(windows), axis=0)) >= 2 * 16 - 2
        for epoch in range(EPOCHS):
            for i, sample in enumerate(samples):
                top, left = windows[epoch][i]
                window = sample["image"][top : top + 128, left : left + 128]
                np.testing.assert_array_equal(images[epoch][i], window)
                np.testing.assert_array_equal(points[epoch][i], sample["keypoints"] - (left, top))

    @pytest.mark.parametrize("face", ["astronaut", *SMALL_FACES])
    def test_a_landmark_stays_on_its_pixel_through_crop_and_flip(self, face: str | int) -> None:
        if isinstance(face, str):
            (sample, *_), size = portraits(), 128
        else:
            sample, size = {"image": inputs.portraits()[face], "keypoints": SMALL_FACES[face]}, 20
        image, points = number_pixels(sample["image"]), sample["keypoints"]
        augment, flipped, seen = ss.Compose([ss.RandomCrop(size), ss.HorizontalFlip()]), set(), 0
        for index in range(64):
            key = ss.SampleKey(42, 0, index)
            made = augment({"image": image, "keypoints": points}, key=key)
            flipped.add(augment.params(key, image.shape)[1].params is not None)
            for (x, y), (new_x, new_y) in zip(points.astype(int), made["keypoints"].astype(int), strict=True):
                if 0 <= new_x < size and 0 <= new_y < size:
                    seen += 1
                    assert made["image"][new_y, new_x].tolist() == image[y, x].tolist()
        assert flipped == {True, False}
        assert seen > 64


class TestCorruption:
    def test_a_stored_generator_gives_workers_the_same_noise(self) -> None:
        images = np.zeros((16, 8, 8))
        assert repeats(passes(usual(Corrupted(images, np.random.default_rng(0))), 1)) == (24, 28)
        assert repeats(passes(usual(Corrupted(images, None)), 1)) == (0, 0)

    def test_keyed(self) -> None:
        faces = (inputs.portraits()[:16] / 255).astype(np.float32)
        epochs = keyed(faces, ss.Compose([ss.GaussianNoise(std=0.3)]), 0)
        noise = [epoch - faces for epoch in epochs]
        assert repeats([np.round(one, 4) for one in noise]) == (0, 0)
        assert 0.28 < np.std(noise) < 0.32


class TestSegments:
    def test_a_stored_generator_gives_workers_the_same_segments(self) -> None:
        clips = inputs.speech_windows(16)
        assert repeats(passes(usual(Segments(clips, 8192)), 1)) == (24, 28)

    def test_keyed(self) -> None:
        clips, augment = (
            inputs.speech_windows(16),
            ss.Compose([ss.RandomSegment(8192), ss.Amplitude(gain=(0.3, 1))]),
        )
        numbers, sounds = drawn(clips, augment, clips[0].shape), keyed(clips, augment, 0)
        assert repeats(numbers) == (0, 0)
        for epoch in range(EPOCHS):
            for i, clip in enumerate(clips):
                start, gain = numbers[epoch][i]
                expected = clip[int(start) : int(start) + 8192] * np.float32(gain)
                np.testing.assert_array_equal(sounds[epoch][i], expected)
