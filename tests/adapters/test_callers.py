"""Who calls a sampler: what each trainer's Caller answers, however many functions lie between.

The trainers themselves are in `tests/trainers`; what calls here has their shape.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from torch.utils.data import DataLoader, DistributedSampler

from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, KeyedSampler
from seedsafe_torch.callers import caller_of

DEPTHS = pytest.mark.parametrize("depth", [0, 1, 7, 40])


def deep(call: Callable[[], Any], depth: int) -> Any:
    """Call a function with that many functions in between."""
    return call() if depth == 0 else deep(call, depth - 1)


def epochs_of(keyed: KeyedSampler) -> set[int]:
    return {index.epoch for index in keyed}


def _set_sampler_epoch(keyed: KeyedSampler, epoch: int, depth: int) -> None:
    deep(lambda: keyed.set_epoch(epoch), depth)


class Fabrics:
    """Sets the epoch as Fabric's loader does."""

    _num_iter_calls = 0

    def begin(self, keyed: KeyedSampler, depth: int) -> None:
        _set_sampler_epoch(keyed, self._num_iter_calls, depth)
        self._num_iter_calls += 1


@DEPTHS
def test_fabric_counts_passes(depth: int) -> None:
    resumed, shifted = KeyedSampler(range(3), seed=0), KeyedSampler(range(3), seed=0, offset=7)
    resumed.load_state_dict({"epoch": 5, "yielded": 0})
    for keyed, epoch in ((resumed, 5), (shifted, 7)):
        fabric = Fabrics()
        for number in range(2):
            fabric.begin(keyed, depth)
            assert epochs_of(keyed) == {epoch + number}


class Loop:
    """Sets the epoch as Lightning's fit loop does, and repeats the end of an epoch with ``max_steps``."""

    max_batches = 2

    def __init__(self, completed: int, processed: int, stepped: bool = False, batches: int = 2) -> None:
        self.restarting = True
        self.epoch_progress = SimpleNamespace(
            current=SimpleNamespace(completed=completed, processed=processed)
        )
        progress = SimpleNamespace(
            is_last_batch=stepped, current=SimpleNamespace(completed=int(not stepped), processed=1)
        )
        self.epoch_loop = SimpleNamespace(batch_progress=progress)
        self._combined_loader = SimpleNamespace(flattened=[range(batches)])

    def begin(self, keyed: KeyedSampler, depth: int) -> None:
        _set_sampler_epoch(keyed, self.epoch_progress.current.processed, depth)


@DEPTHS
def test_lightnings_loop_serves_the_epoch_that_it_has_not_completed(depth: int) -> None:
    keyed = KeyedSampler(range(3), seed=0)
    Loop(completed=3, processed=4).begin(keyed, depth)
    assert epochs_of(keyed) == {3}
    with pytest.raises(ValueError, match="Lightning would serve more than the 2 batches of epoch 3"):
        Loop(completed=3, processed=4, stepped=True, batches=3).begin(keyed, depth)
    Loop(completed=3, processed=4, stepped=True).begin(keyed, depth)
    Loop(completed=3, processed=4, batches=3).begin(keyed, depth)
    Loop(completed=4, processed=4, stepped=True, batches=3).begin(keyed, depth)


class Wrapper(DistributedSampler[Any]):
    """Shares out a sampler as Lightning's wrapper does: it reads all of it first."""

    def __init__(self, keyed: Any, replicas: int, depth: int) -> None:
        super().__init__(range(len(keyed)), num_replicas=replicas, rank=0)  # type: ignore[arg-type]
        self.keyed, self.depth = keyed, depth

    def __iter__(self) -> Iterator[Any]:
        indices = deep(lambda: list(self.keyed), self.depth)
        return (indices[position] for position in super().__iter__())


@DEPTHS
def test_a_sampler_that_shares_out_another_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="Wrapper shares out a KeyedSampler"):
        list(Wrapper(KeyedSampler(range(4), seed=0), 2, depth))
    assert len(list(Wrapper(KeyedSampler(range(4), seed=0), 1, depth))) == 4
    assert len(list(Wrapper(KeyedSampler(range(4), seed=0, epoch=9), 2, depth))) == 2


class Prepared(DataLoader[Any]):
    """A loader with the attributes of Accelerate's."""

    use_stateful_dataloader = False


@pytest.fixture
def accelerate(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Accelerate's state, as its loaders set it while they are read."""
    state = SimpleNamespace(active_dataloader=None)
    module: Any = ModuleType("accelerate.state")
    module.GradientState = lambda: state
    monkeypatch.setitem(sys.modules, "accelerate.state", module)
    return state


def prepared(keyed: Any, processes: int = 1) -> Prepared:
    loading = Prepared(AugmentedDataset(np.arange(4), seed=0), sampler=keyed, batch_size=2)
    loading.batch_sampler.num_processes = processes  # type: ignore[union-attr]
    return loading


def test_accelerate_shares_out_no_share(accelerate: SimpleNamespace) -> None:
    for epoch in (None, 3):
        share = DistributedKeyedSampler(4, seed=0, num_replicas=2, rank=0, epoch=epoch)
        accelerate.active_dataloader = prepared(share, 2)
        with pytest.raises(ValueError, match="to its 2 processes, so each would serve a share of a share"):
            next(iter(share))
        with pytest.raises(ValueError, match="share of a share"):
            share.set_epoch(1)
    for keyed, processes in ((KeyedSampler(range(4), seed=0), 2), (share, 1)):
        accelerate.active_dataloader = prepared(keyed, processes)
        assert len(list(keyed)) == len(keyed)
    accelerate.active_dataloader = prepared(KeyedSampler(range(4), seed=0), 2)
    assert len(list(share)) == 2, "another loader is being read"


def test_an_epoch_that_accelerate_counts_again_warns(accelerate: SimpleNamespace) -> None:
    keyed = KeyedSampler(range(4), seed=0)
    accelerate.active_dataloader = loading = prepared(keyed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keyed.set_epoch(0)
        assert epochs_of(keyed) == {0}
        keyed.set_epoch(1)
        under_way = iter(keyed)
        next(under_way)
        keyed.set_epoch(1)  # of a pass that has not ended
        list(under_way)
        keyed.set_epoch(0)
        assert epochs_of(keyed) == {0}
        loading.use_stateful_dataloader = True
        keyed.set_epoch(0)
    loading.use_stateful_dataloader = False
    with pytest.warns(
        UserWarning, match="epoch 0 is served again, because a loader from Accelerate"
    ) as warned:
        keyed.set_epoch(0)
    assert [one.filename for one in warned] == [__file__]


class Watching(KeyedSampler):
    """Keeps the iterator that its caller tells when a pass begins."""

    iterator: Any = None

    def _begin(self, state: Any) -> Any:
        found = caller_of(self).iterator(self)
        type(self).iterator = None if found is None else found()
        return super()._begin(state)


def test_the_iterator_that_draws_is_found_in_any_loader(accelerate: SimpleNamespace) -> None:
    keyed = Watching(range(4), seed=0)
    loading = prepared(keyed)
    for accelerate.active_dataloader in (None, loading):
        batches = iter(loading)
        next(batches)
        assert Watching.iterator is batches
    list(keyed)
    assert Watching.iterator is None
