"""KeyedLoader: a DataLoader that knows which batches it handed out, and therefore where the run stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsIndex

from torch.utils.data import DataLoader

from seedsafe.reading import Skipped, outermost
from seedsafe_torch.inner import chain_of, items_of_a_batch, keyed_of
from seedsafe_torch.passes import Place
from seedsafe_torch.sampler import KeyedSampler
from seedsafe_torch.trainers.loaders import wrapped

__all__ = ["MIXED", "KeyedLoader"]

MIXED = (
    "another pass over this loader has begun, which is the next epoch: end a pass before the next one, or make a loader "
    "for each, with epoch= or set_epoch where they are to be of one epoch"
)


class KeyedLoader(DataLoader[Any]):
    """A DataLoader that can be stored and resumed after any batch, whatever its workers have read ahead.

    A pass begins with its first batch, for any number of workers: ``iter(loader)`` alone does nothing. Batches whose
    samples all failed are left out. `loader` makes it.

    Args:
        dataset: as DataLoader's.
        reports: functions that are called at the end of a pass.
        options: DataLoader's other arguments.

    Raises:
        ValueError: a trainer has wrapped the sampler to share it out, so that no place in it can be found again.

    Example:
        >>> import numpy as np
        >>> from seedsafe_torch import AugmentedDataset, loader
        >>> dataset = AugmentedDataset(np.arange(6), seed=42)
        >>> loading = loader(dataset, batch_size=2)
        >>> batches = iter(loading)
        >>> next(batches), next(batches), loading.state_dict()["yielded"]
        (tensor([0, 1]), tensor([2, 3]), 4)
        >>> resumed = loader(dataset, batch_size=2)
        >>> resumed.load_state_dict(loading.state_dict())
        >>> list(resumed)
        [tensor([4, 5])]
    """

    _heard: tuple[int, ...] = ()
    _begun = 0
    """How many passes have begun."""

    def __init__(self, dataset: Any, *, reports: Sequence[Callable[[], None]] = (), **options: Any) -> None:
        super().__init__(dataset, **options)
        self.reports = tuple(reports)
        _check_not_wrapped(self.sampler)

    def __iter__(self) -> Any:
        self.report()  # what a pass that was left had not told
        keyed = keyed_of(self)
        if keyed is None:  # a trainer has replaced the sampler
            return super().__iter__()
        return _Batches(self, keyed, super().__iter__)

    def state_dict(self) -> dict[str, int]:
        """Return where the run stands: after the last batch that was handed out.

        Raises:
            ValueError: the batches come in another order than their indices were drawn in.
        """
        keyed = keyed_of(self)
        if keyed is None:
            return {}
        state = keyed.state_dict()
        if state["yielded"] and self.num_workers and not self.in_order and not keyed.all_seen:
            raise ValueError(
                "in_order=False hands batches out in any order, so that a run cannot resume within an epoch: store the "
                "state after an epoch, or leave in_order out"
            )
        return state

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Resume in the next pass where `state_dict` stood, also with other workers and another batch size."""
        keyed = keyed_of(self)
        if keyed is None and state:
            raise ValueError(
                "this loader has no KeyedSampler to take the state: make it with seedsafe_torch.loader"
            )
        if keyed is not None:
            keyed.load_state_dict(state)

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, as trainers do before each; see KeyedSampler."""
        keyed = keyed_of(self)
        if keyed is not None and keyed.epoch is None:
            keyed.set_epoch(epoch)

    def report(self) -> None:
        """Report what failed since the last time."""
        for report in self.reports:
            report()

    def hear(self, keyed: KeyedSampler) -> None:
        """Take over an epoch that was set on the dataset."""
        told = [one.told for one in outermost(self.dataset)]
        before = self._heard or (0,) * len(told)
        self._heard = tuple(times for times, _ in told)
        for (times, epoch), known in zip(told, before, strict=True):
            if times != known:
                keyed.hear(epoch, "the dataset")


class _Batches(Iterator[Any]):
    """The batches of one pass, counted as they are handed out; for everything else, DataLoader's iterator."""

    def __init__(self, loading: KeyedLoader, keyed: KeyedSampler, begin: Callable[[], Any]) -> None:
        self._loading = loading
        self._keyed = keyed
        self._begin = begin
        self._batches: Any = None
        self._place: Place | None = None
        self._step = items_of_a_batch(loading, keyed)
        self._handed_out = 0
        self._failed = 0  # batches in a row that raised an error

    def __next__(self) -> Any:
        loading = self._loading
        try:
            if self._batches is None:
                self._number = loading._begun = loading._begun + 1
                batch = self._first()
            elif (
                loading._begun == self._number or self._keyed.epoch is not None
            ):  # a fixed one is the same in both
                batch = next(self._batches)
            else:
                raise RuntimeError(MIXED)
            while type(batch) is Skipped:
                self._see()
                batch = next(self._batches)
        except StopIteration:
            if self._place is not None:
                self._place.ended = True
            self._loading.report()
            raise
        except BaseException:
            self._failed += 1
            raise
        self._see()
        self._handed_out += 1
        return batch

    def _first(self) -> Any:
        """Begin the pass, and return its first batch."""
        self._loading.hear(self._keyed)
        with self._keyed.watched(self._watch if self._step else None):
            self._batches = self._begin()
            return next(self._batches)

    def _see(self) -> None:
        if self._place is not None:
            self._place.see(self._step * (1 + self._failed))
        self._failed = 0

    def _watch(self, place: Place) -> None:
        self._place = place
        place.single = self._loading.batch_sampler is not self._keyed

    def __len__(self) -> int:
        return len(self._loading)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self._batches is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r} before its first batch")
        return getattr(self._batches, name)

    def __del__(self) -> None:
        place = self._place
        if place is None or place.left or sys.is_finalizing():
            return
        place.left = True
        more = not place.ended and not self._failed and (not place.exhausted or place.seen < place.drawn)
        if self._handed_out == 1 and place.seen == self._step and more and len(self._loading) > 1:
            self._keyed.warn_of_left_pass()


def _check_not_wrapped(sampler: Any) -> None:
    """Refuse the wrapper of Lightning and Fabric, which reads the sampler ahead; that of a fixed epoch does no harm."""
    inside = getattr(getattr(sampler, "dataset", None), "_sampler", None)
    if any(isinstance(one, KeyedSampler) and one.epoch is None for one in chain_of(inside)):
        raise wrapped(sampler)
