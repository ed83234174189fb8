"""Somebody's dataset through seedsafe_torch with bridge=True: the usual code, as it stands."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from cases_usual import Corrupted, Landmarks, Segments, ThreeNumbers
from test_cases_torch import passes, portraits, repeats
from torch.utils.data import DataLoader, Dataset, Subset

import seedsafe as ss
from demo import inputs
from seedsafe_torch import AugmentedDataset, loader

WAYS: list[dict[str, Any]] = [
    {"num_workers": 0},
    {"num_workers": 2, "multiprocessing_context": "fork"},
    {"num_workers": 4, "multiprocessing_context": "fork", "persistent_workers": True},
    {"num_workers": 2, "multiprocessing_context": "spawn"},
]


def bridged(base: Any, part: Any = None, ways: Any = WAYS) -> list[np.ndarray]:
    """Return two epochs of a dataset, after checking that all ways to load it agree."""
    runs = [
        passes(loader(AugmentedDataset(base, seed=42, bridge=True), batch_size=2, shuffle=True, **way), part)
        for way in ways
    ]
    for other in runs[1:]:
        for got, expected in zip(other, runs[0], strict=True):
            np.testing.assert_array_equal(got, expected, strict=True)
    return runs[0]


class Face(Dataset):
    """The landmarks dataset with a transform that keeps a generator, and the global one as well."""

    def __init__(self) -> None:
        self.base = Landmarks(portraits(), 128)

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: int) -> Any:
        sample = self.base[index]
        return sample["image"].astype(np.float64) + np.random.normal(), sample["keypoints"], sample["drawn"]


def brighter(image: torch.Tensor) -> torch.Tensor:
    """Add a number to a tensor (C, H, W), another one for each channel."""
    return image + torch.randint(0, 9, (len(image), 1, 1), dtype=image.dtype)


class TestTensors:
    def test_channels_go_first_and_come_back_last(self) -> None:
        image = np.zeros((4, 5, 3), np.uint8)
        augment = ss.Compose([ss.bridge(brighter, call="tensor")])
        made = [augment(image, key=ss.SampleKey(42, 0, index)) for index in range(4)]
        assert made[0].shape == image.shape
        assert all((one == one[0, 0]).all() for one in made)
        assert len({tuple(one[0, 0]) for one in made}) > 1
        assert not image.any()

    def test_a_grey_image_stays_one(self) -> None:
        made = ss.bridge(brighter, call="tensor")(np.zeros((4, 5), np.uint8), key=ss.SampleKey(42, 0, 0))
        assert made.shape == (4, 5)

    def test_audio_is_refused(self) -> None:
        sample = {"audio": np.zeros(8, np.float32)}
        with pytest.raises(TypeError, match='"tensor", which is for images'):
            ss.Compose([ss.bridge(brighter, call="tensor")])(sample, key=ss.SampleKey(42, 0, 0))


class TestThePostsDatasets:
    @pytest.mark.parametrize("rng", [None, np.random.default_rng(0), np.random.RandomState(0)])
    def test_three_numbers(self, rng: Any) -> None:
        assert repeats(bridged(ThreeNumbers(rng), ways=WAYS if rng is None else WAYS[:3])) == (0, 0)

    def test_landmarks(self) -> None:
        drawn = bridged(Face(), 2, WAYS[:3])
        # Of 73 by 33 places, two may coincide.
        assert len(np.unique(np.concatenate(drawn), axis=0)) >= 2 * 16 - 2
        assert repeats(bridged(Face(), 0, WAYS[:2])) == (0, 0)

    @pytest.mark.parametrize("rng", [None, np.random.default_rng(0)])
    def test_corruption(self, rng: Any) -> None:
        assert repeats(bridged(Corrupted(np.zeros((16, 8, 8)), rng), 1, WAYS[:3])) == (0, 0)

    def test_segments(self) -> None:
        assert repeats(bridged(Segments(inputs.speech_windows(16), 8192), 1, WAYS[:3])) == (0, 0)


class Mixed(Dataset):
    """Draws from everything, with a transform of its own for the image."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> np.ndarray:
        import random

        noise = [
            random.random(),
            np.random.rand(),
            float(torch.rand(1)),
            self.rng.random(),
            np.random.randn(),
        ]
        return np.array([noise]) + index


class TestDataset:
    def test_at_any_order_threads_and_subset(self) -> None:
        dataset = AugmentedDataset(Mixed(), seed=42, bridge=True)
        expected = [dataset.at(index, epoch=3).tolist() for index in range(40)]
        fresh = AugmentedDataset(Subset(Mixed(), range(40)), seed=42, bridge=True)
        assert [fresh.at(index, epoch=3).tolist() for index in reversed(range(40))] == expected[::-1]
        fresh = pickle.loads(pickle.dumps(dataset))
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda index: fresh.at(index, epoch=3).tolist(), range(40))) == expected

    def test_every_field_of_the_key_counts(self) -> None:
        dataset = AugmentedDataset(Mixed(), seed=42, bridge=True)
        shifted = AugmentedDataset(Mixed(), seed=42, bridge=True, index_offset=1)
        other = AugmentedDataset(Mixed(), seed=43, bridge=True)
        made = [
            dataset.at(0, epoch=0),
            dataset.at(0, epoch=1),
            dataset.at(0, epoch=0, occurrence=1),
            dataset.at(0, epoch=0, view=1),
            shifted.at(0, epoch=0),
            other.at(0, epoch=0),
        ]
        assert len({one.tobytes() for one in made}) == len(made)
        np.testing.assert_allclose(dataset.at(1, epoch=0) - 1, shifted.at(0, epoch=0), atol=1e-12)

    def test_with_an_augmentation_and_a_bridged_member(self) -> None:
        augment = ss.Compose([ss.bridge(lambda image: image + np.random.rand()), ss.HorizontalFlip()])
        dataset = AugmentedDataset(Mixed(), augment, seed=42, bridge=True)
        runs = [
            passes(loader(dataset, batch_size=8, num_workers=workers, multiprocessing_context=method))
            for workers, method in ((0, None), (2, "fork"))
        ]
        np.testing.assert_array_equal(runs[0], runs[1])

    def test_a_nested_region_is_restored_in_workers_too(self) -> None:
        runs = [
            passes(
                loader(AugmentedDataset(Nested(), seed=42, bridge=True), batch_size=4, num_workers=workers)
            )
            for workers in (0, 2)
        ]
        np.testing.assert_array_equal(runs[0], runs[1])

    def test_constant_seeding_is_noticed_at_the_first_read(self) -> None:
        dataset = AugmentedDataset(Constant(), seed=42, bridge=True)
        with pytest.raises(ss.NotReproducible, match=r"the dataset Constant seeds numpy\.random itself"):
            dataset.at(3, epoch=0)

    def test_a_counter_is_noticed_at_the_first_read(self) -> None:
        with pytest.raises(ss.NotReproducible, match="the dataset Counting gave two results for one key"):
            AugmentedDataset(Counting(), seed=42, bridge=True).at(3, epoch=0)

    def test_what_cannot_be_pickled_is_refused_before_workers_start(self) -> None:
        augment = ss.Compose([ss.bridge(lambda image: image)])
        with pytest.raises(ValueError, match="must be picklable"):
            loader(
                AugmentedDataset(Mixed(), augment, seed=42), num_workers=1, multiprocessing_context="spawn"
            )

    def test_bridge_is_checked(self) -> None:
        with pytest.raises(
            TypeError, match=r"bridge must be True, False or a Bridge, got 1: pass Bridge\(opencv=True\)"
        ):
            AugmentedDataset(Mixed(), seed=42, bridge=1)  # type: ignore[arg-type]

    def test_manifest(self) -> None:
        augment = ss.Compose([ss.HorizontalFlip()])
        dataset = AugmentedDataset(Mixed(), augment, seed=42, bridge=True)
        before = dataset.manifest()
        assert before["augment"] == augment.to_dict()
        assert before["seed"] == 42
        assert before["contract"] == 1
        assert before["numpy"] == np.__version__
        assert before["libraries"]["torch"] == torch.__version__
        assert before["verdict"] == "unverified"
        assert before["equal_generators"] == []
        dataset.at(0, epoch=0)
        assert dataset.manifest()["verdict"] == "verified"
        code = ss.Compose([ss.bridge(np.negative)])
        plain = AugmentedDataset(Mixed(), code, seed=42).manifest()
        assert (plain["augment"], plain["bridge"]) == (repr(code), None)


class Nested(Mixed):
    def __getitem__(self, index: int) -> np.ndarray:
        first = np.random.rand()
        with ss.keyed(ss.SampleKey(1, 0, index)):
            inner = np.random.rand()
        return np.array([first, inner, np.random.rand(), float(torch.rand(1))])


class Constant(Mixed):
    state = np.random.RandomState(0).get_state()

    def __getitem__(self, index: int) -> np.ndarray:
        np.random.set_state(self.state)
        return np.random.rand(3)


class Counting(Mixed):
    count = 0

    def __getitem__(self, index: int) -> np.ndarray:
        self.count += 1
        return np.array([self.count])


class Silent(Mixed):
    """The same numbers without randomness."""

    def __init__(self, values: list[np.ndarray]) -> None:
        self.values = values

    def __getitem__(self, index: int) -> np.ndarray:
        return self.values[index]


class Sums(Dataset):
    """Its samples are computed by torch, with as many threads as it has."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        wave = torch.randn(100_000)
        return np.array([wave.sum().item(), wave.mean().item()]), np.abs(torch.fft.rfft(wave).numpy()).sum()


def test_the_number_of_torchs_threads_changes_nothing() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(4)
        runs = [
            [
                part.numpy().tobytes()
                for batch in loader(AugmentedDataset(Sums(), seed=42, bridge=True), batch_size=2, **way)
                for part in batch
            ]
            for way in WAYS[:2]
        ]
        assert runs[0] == runs[1]
        sums = ss.Compose([ss.bridge(lambda image: image + torch.randn(100_000).sum().item())])
        made = []
        for threads in (4, 1):
            torch.set_num_threads(threads)
            made.append([sums(np.zeros(1), key=ss.SampleKey(42, 0, index)).tobytes() for index in range(8)])
            assert torch.get_num_threads() == threads
        assert made[0] == made[1]
    finally:
        torch.set_num_threads(before)


def losses(dataset: Any) -> list[float]:
    """Train a small network with dropout, in the process that reads the samples."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.Dropout(0.5), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-6)
    found = []
    for batch in DataLoader(dataset, batch_size=4, generator=torch.Generator()):
        optimizer.zero_grad()
        loss = (model(batch.float()) ** 2).mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def test_training_does_not_notice() -> None:
    dataset = AugmentedDataset(Mixed(), seed=42, epoch=0, bridge=True)
    values = [dataset[index] for index in range(len(dataset))]
    assert losses(dataset) == losses(Silent(values))
    # Drawing is noticed.
    assert losses(Mixed()) != losses(Silent([np.asarray(Mixed()[i]) for i in range(40)]))
