"""Keys that a wrapper asks for twice: a warning, once, wherever no sampler meant it, and none where one did."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, LENGTH, SEED, Photographs, digest
from torch.utils.data import ConcatDataset, DataLoader, Dataset, StackDataset, Subset, WeightedRandomSampler
from torch_driver import dataset, items

import seedsafe as ss
from seedsafe.reading import KeyedReader, Repeats, entered
from seedsafe_torch import AugmentedDataset, Envelope, KeyedSampler, loader, peek


class Wrapper(Dataset[Any]):
    """A wrapper of somebody's; `inner` is no name that the library knows."""

    def __init__(self, *inner: Any, times: int = 1) -> None:
        self.inner = list(inner)
        self.times = times

    def __len__(self) -> int:
        return self.times * LENGTH


class Twins(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[0][index], self.inner[0][index]


class Halved(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[0][index // 2]


class Joined(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[index // LENGTH][index % LENGTH]


class Neighbours(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[0][index], self.inner[0][(index + 1) % LENGTH]


WITHIN_ONE = {
    "twins": lambda: Twins(dataset()),
    "twins of a bridged dataset": lambda: Twins(AugmentedDataset(Photographs(), seed=SEED, bridge=True)),
    "twins in a subset": lambda: Subset(Twins(dataset()), range(9)),
    "stacked": lambda: StackDataset(*[dataset()] * 2),
    "inside another": lambda: AugmentedDataset(Twins(dataset()), seed=1),
}
FOR_TWO = {
    "halved": lambda: Halved(dataset(), times=2),
    "joined": lambda: Joined(dataset(), dataset(), times=2),
    "neighbours": lambda: Neighbours(dataset()),
    "halved inside another": lambda: AugmentedDataset(Halved(dataset(), times=2), seed=1),
}


def told(passes: Any) -> list[str]:
    """Return the warnings of passes in this process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for one in passes:
            list(one)
    return [str(warning.message) for warning in caught]


def first(batch: Any) -> Any:
    return batch[0]


@pytest.mark.parametrize("name", WITHIN_ONE)
def test_a_key_twice_in_one_sample_warns_once(name: str) -> None:
    loading = loader(WITHIN_ONE[name](), batch_size=4, collate_fn=first)
    # The photographs draw nothing, of which their bridge warns as well.
    (message,) = (one for one in told([loading, loading]) if not one.startswith("nothing drew"))
    wrapper = "StackDataset" if name == "stacked" else "Twins"
    assert message.startswith(f"{wrapper} reads index 0 twice for one sample of epoch 0")
    assert "pass views=2 to the dataset inside" in message


@pytest.mark.parametrize("name", FOR_TWO)
def test_a_key_for_two_samples_warns_once(name: str) -> None:
    loading = loader(FOR_TWO[name](), batch_size=4, shuffle=True, collate_fn=first)
    (message,) = told([loading, loading])
    assert message.startswith(f"{name.split()[0].title()} maps samples ")
    for way_out in ("sampler=", "its own seed", "index_offset="):
        assert way_out in message


@pytest.mark.parametrize("make", [WITHIN_ONE["twins"], FOR_TWO["halved"]], ids=["twins", "halved"])
def test_it_warns_without_an_envelope_too(make: Any) -> None:
    data = make()
    plain = DataLoader(
        data, batch_size=4, sampler=KeyedSampler(range(len(data)), seed=SEED), collate_fn=first
    )
    (message,) = told([plain, plain])
    assert message.startswith(f"{type(data).__name__} ")
    assert " index 0 " in message


def keyed_reads(data: Any) -> Any:
    """Return a DataLoader of torch's over a wrapper."""
    return DataLoader(data, batch_size=2, sampler=KeyedSampler(range(len(data)), seed=SEED), collate_fn=first)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Subset(dataset(), [5, 1, 2, 1]),
        lambda: Subset(Subset(dataset(), [4, 1, 2, 1]), [3, 0, 1]),
        lambda: Subset(AugmentedDataset(Photographs(), seed=SEED, bridge=True), np.array([5, 1, 2, 1])),
    ],
    ids=["a subset", "one inside another", "of a bridged dataset"],
)
def test_a_subset_that_lists_an_index_twice_warns_once_without_an_envelope(make: Any) -> None:
    loading = keyed_reads(make())
    (message,) = told([loading, loading])
    assert message.startswith("Subset maps samples ")
    assert f" to the same index 1 of seed {SEED}, " in message
    assert "sampler=" in message


@pytest.mark.parametrize(
    "make",
    [
        lambda: Subset(dataset(), [5, 1, 2, 0]),
        lambda: Subset(Subset(dataset(), [4, 1, 2, 1]), [3, 0]),
        lambda: Subset(AugmentedDataset(Photographs(), seed=SEED), [5, 1, 2, 1]),
    ],
    ids=["once each", "once each of those inside", "nothing is drawn"],
)
def test_other_subsets_do_not(make: Any) -> None:
    loading = keyed_reads(make())
    assert told([loading, loading]) == []


IN_WORKERS = """
import sys
from test_repeats import *
from test_repeats import dataset, loader
if __name__ == "__main__":
    method, wrapper = sys.argv[1:]
    ways = dict(batch_size=2, num_workers=2, multiprocessing_context=method, collate_fn=first)
    if wrapper == "Twins":
        loading = loader(Twins(dataset()), **ways)
    else:
        subset = Subset(dataset(), [5, 1, 2, 1])
        loading = DataLoader(subset, sampler=KeyedSampler(range(4), seed=SEED), **ways)
    for _ in range(2):
        list(loading)
"""


@pytest.mark.parametrize(("method", "wrapper"), [("fork", "Twins"), ("fork", "Subset"), ("spawn", "Twins")])
def test_workers_warn_once_together(method: str, wrapper: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(IN_WORKERS)
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py", method, wrapper],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count({"Twins": "Twins reads index", "Subset": "Subset maps samples"}[wrapper]) == 1


def quiet() -> Iterator[tuple[str, Any]]:
    """Yield what is read as it was meant to be: pytest makes any warning an error, here and in forked workers."""
    data = dataset()
    yield "two passes at once", lambda: list(zip(loader(data), loader(data), strict=True))
    yield "the same pass again", lambda: [list(loader(Subset(data, [1, 2]))) for _ in range(2)]

    def again() -> None:
        loading = loader(Subset(data, range(9)), batch_size=3)
        for _ in range(2):
            loading.sampler.set_epoch(4)
            list(loading)
            peek(loading)

    yield "an epoch that is set again, and a peek", again

    def validated() -> None:
        training, checking = loader(Subset(data, range(9))), loader(Subset(data, range(9)), epoch=0)
        for _ in islice(training, 3):
            list(checking)

    yield "validation on the training data", validated
    yield "folds", lambda: [list(loader(Subset(data, fold))) for fold in (range(9), range(5, 20))]
    yield "at", lambda: list(loader(At(data), batch_size=3))
    yield "a sampler that repeats", lambda: list(loader(Subset(data, range(9)), sampler=[3, 3, 5, 3]))
    weighted = WeightedRandomSampler([1.0] * 5, 40)
    yield "a weighted sampler", lambda: list(loader(Joined(data, data), sampler=weighted))
    yield "views", lambda: list(loader(Views(data), batch_size=3))
    yield (
        "two seeds",
        lambda: list(loader(Joined(data, AugmentedDataset(Photographs(), AUGMENT, seed=1), times=2))),
    )
    pair = AugmentedDataset(Photographs(), AUGMENT, seed=SEED)
    yield "an image and its mask, of two datasets", lambda: list(loader(StackDataset(data, pair)))
    plain = AugmentedDataset(Photographs(), ss.CenterCrop(8), seed=SEED)
    yield "what draws nothing", lambda: list(loader(Twins(plain)))
    nothing = AugmentedDataset(Photographs(), seed=SEED)
    yield "no augmentation", lambda: list(loader(Halved(nothing, times=2)))
    replacing = AugmentedDataset(Lame(dataset(), dataset()), seed=1, on_error="replace")

    def replaced() -> None:
        assert all("failed in" in message for message in told([loader(replacing, batch_size=4)]))
        assert len(replacing.failures()[0]) == 8

    yield "samples that replace others", replaced
    bridged = AugmentedDataset(Joined(dataset()), ss.Compose([ss.HorizontalFlip()]), seed=1, bridge=True)
    yield "a bridge's checks", lambda: list(loader(bridged, batch_size=4))
    yield "direct reads", lambda: [Twins(data)[3] for _ in range(3)]
    index = ss.SampleIndex(3, epoch=1)
    yield "direct reads of a stamped index", lambda: [data[index] for _ in range(3)]
    yield "workers", lambda: [list(loader(Subset(data, range(9)), num_workers=2)) for _ in range(2)]


class At(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return self.inner[0].at(index, epoch=0), self.inner[0].at(index, epoch=0)


class Views(Wrapper):
    def __getitem__(self, index: int) -> Any:
        return [self.inner[0][ss.SampleIndex(index, 0, 0, view)] for view in range(2)]


class Lame(Wrapper):
    """Its first dataset is read before it fails."""

    def __getitem__(self, index: int) -> Any:
        sample = self.inner[0][index]
        if index % 3 == 0:
            raise OSError("gone")
        return sample


QUIET = dict(quiet())


@pytest.mark.parametrize("name", QUIET)
def test_what_was_meant_does_not_warn(name: str) -> None:
    QUIET[name]()


def test_a_base_that_asks_for_its_key_counts_as_augmented() -> None:
    class Flipping(Photographs):
        augment = ss.Compose([ss.HorizontalFlip()])

        def __getitem__(self, index: int) -> Any:
            image, label = super().__getitem__(index)
            return self.augment(image), label

    (message,) = told([loader(Twins(AugmentedDataset(Flipping(), seed=SEED)), collate_fn=first)])
    assert "twice for one sample" in message


class Hidden(Wrapper):
    """Keeps what it reads where no search of attributes comes."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.read = inner.__getitem__

    def __getitem__(self, index: int) -> Any:
        return self.read(index)


def test_one_seed_twice_is_refused_under_any_name() -> None:
    for kind in (Wrapper, Hidden):
        with pytest.raises(ValueError, match=f"same seed {SEED} as the dataset that reads it: give one"):
            AugmentedDataset(kind(dataset()), AUGMENT, seed=SEED, on_error="skip")[0]
    other = AugmentedDataset(Hidden(AugmentedDataset(Photographs(), seed=SEED)), AUGMENT, seed=1)
    assert digest(other.at(3, epoch=0)[0]) == digest(AUGMENT(Photographs()[3][0], key=ss.SampleKey(1, 0, 3)))


# The table


def test_a_repetition_is_found_among_more_keys_than_are_remembered() -> None:
    repeats = Repeats(None)
    found = []
    for epoch in range(2):
        order = np.random.default_rng(epoch).permutation(200_000).tolist()
        for index in order:
            if repeats.serve((SEED, epoch, index // 2, 0, 0), index) is not None:
                found.append(epoch)
    assert {0, 1} == set(found)
    assert len(repeats._indices) <= 2**14
    alone = Repeats(None)
    assert all(alone.serve((SEED, 0, index, 0, 0), index) is None for index in range(100_000))
    assert all(alone.serve((SEED, 0, index, 0, 0), index) is None for index in range(100_000))


def test_threads_may_share_a_table() -> None:
    repeats = Repeats(None)

    def serve(start: int) -> list[int | None]:
        return [repeats.serve((0, 0, index, 0, 0), index) for index in range(start, start + 30_000)]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(serve, range(0, 120_000, 30_000)):
            assert set(found) == {None}


def test_copies_and_pickles_have_tables_of_their_own() -> None:
    repeats = Repeats([], seed=5)
    repeats.serve((0, 0, 1, 0, 0), 1)
    for other in (copy.deepcopy(repeats), pickle.loads(pickle.dumps(repeats))):
        assert (other.wrapper, other.seed, other._indices) == ("list", 5, {})


def test_the_runs_of_a_base_count_apart() -> None:
    reader = KeyedReader([np.zeros((4, 4), np.uint8)] * 3, ss.RandomCrop(2), seed=1)
    repeats = Repeats(None)
    for _ in range(3):  # three runs of one base: a bridge's check
        with entered(ss.SampleIndex(1, 0), repeats, 1):
            reader.sample(ss.SampleIndex(1, 0))
    with entered(ss.SampleIndex(1, 0), repeats, 1):
        reader.sample(ss.SampleIndex(1, 0))
        with pytest.warns(UserWarning, match="reads index 1 twice for one sample"):
            reader.sample(ss.SampleIndex(1, 0))


# The moment without an Envelope


class Mapped(Wrapper):
    """Reads a list of positions, sample by sample."""

    def __init__(self, inner: Any, positions: Any) -> None:
        super().__init__(inner)
        self.positions = list(positions)

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int) -> Any:
        return self.inner[0][self.positions[index]]


class InBatches(Mapped):
    def __getitems__(self, indices: Any) -> Any:
        return self.inner[0].__getitems__([self.positions[index] for index in indices])


CHOSEN = [5, 3, 20, 9, 1]


def sample(epoch: int, index: int, occurrence: int = 0) -> tuple[int, bytes]:
    key = ss.SampleKey(SEED, epoch, index, occurrence=occurrence)
    return index, digest(AUGMENT(Photographs()[index][0], key=key))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", [Subset, Mapped])
@pytest.mark.parametrize("stateful", [False, True])
def test_a_plain_loader_over_a_wrapper_follows_the_epochs(kind: Any, workers: int, stateful: bool) -> None:
    from torchdata.stateful_dataloader import StatefulDataLoader

    keyed = KeyedSampler(range(len(CHOSEN)), seed=SEED)
    loading = (StatefulDataLoader if stateful else DataLoader)(
        kind(dataset(), CHOSEN), batch_size=2, sampler=keyed, num_workers=workers, generator=torch.Generator()
    )
    for epoch in range(3):
        assert items(loading) == [sample(epoch, index) for index in CHOSEN]


def test_occurrences_arrive_or_are_refused() -> None:
    order = [0, 1, 0, 0, 2, 1]
    counts = [0, 0, 1, 2, 0, 1]
    wanted = [sample(0, CHOSEN[place], count) for place, count in zip(order, counts, strict=True)]

    def plain(data: Any) -> Any:
        return items(DataLoader(data, batch_size=4, sampler=KeyedSampler(order, seed=SEED)))

    assert plain(Mapped(dataset(), CHOSEN)) == wanted
    assert plain(Envelope(Subset(dataset(), CHOSEN))) == wanted
    fixed = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, epoch=0)
    assert plain(Mapped(fixed, CHOSEN)) == wanted
    assert plain(Subset(dataset(), CHOSEN)) == wanted
    assert plain(Subset(fixed, CHOSEN)) == wanted
    with pytest.raises(
        RuntimeError, match=r"InBatches reads .* occurrence.*wrap the dataset in seedsafe_torch\.Envelope"
    ):
        plain(InBatches(dataset(), CHOSEN))
    assert plain(Envelope(InBatches(dataset(), CHOSEN))) == wanted


def test_without_batches_the_index_arrives_too() -> None:
    keyed = KeyedSampler(range(len(CHOSEN)), seed=SEED)
    loading = DataLoader(Mapped(dataset(), CHOSEN), batch_size=None, sampler=keyed)
    for epoch in range(2):
        assert [(label, digest(np.asarray(image))) for image, label in loading] == [
            sample(epoch, index) for index in CHOSEN
        ]


def test_a_direct_read_in_mid_pass_is_the_datasets_own() -> None:
    data = dataset()
    passing = iter(DataLoader(Subset(data, CHOSEN), sampler=KeyedSampler([3, 4], seed=SEED, epoch=7)))
    next(passing)
    assert digest(data[5][0]) == sample(0, 5)[1]


def test_an_envelope_holds_a_dataset() -> None:
    with pytest.raises(TypeError, match="dataset must be a map-style dataset with __getitem__, got int"):
        Envelope(5)
    assert len(Envelope(ConcatDataset([dataset(), dataset()]))) == 2 * LENGTH
