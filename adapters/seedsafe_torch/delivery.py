"""KeyedLoader: a DataLoader that counts its batches."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from functools import partial
from itertools import islice
from typing import Any, Final, Literal, SupportsIndex

import numpy as np
from torch.utils.data import DataLoader, get_worker_info
from torch.utils.data.dataloader import _DatasetKind

from seedsafe.reading import (
    Skipped,
    check_main,
    checked_int,
    keeping_epochs,
    nested,
    outermost,
    walk,
)
from seedsafe_torch import frames
from seedsafe_torch.callers import sharing_error
from seedsafe_torch.cell import STALE
from seedsafe_torch.dataset import AugmentedDataset, Carrier
from seedsafe_torch.fetching import tell_worker, users
from seedsafe_torch.in_place import RowByRow
from seedsafe_torch.order import chain_of, items_of_a_batch
from seedsafe_torch.passes import Batches, Progress, check_in_order, length_of
from seedsafe_torch.sampler import KeyedSampler, keyed_of

__all__ = ["KeyedLoader", "first_batches"]

_MOST: Final = 1024  # entries of a list or an array; more are data
_SCALARS: Final = (int, float, complex, str, bytes, np.generic, type(None))
_END: Final = object()


class KeyedLoader(DataLoader[Any]):
    """A DataLoader that can store its state and resume after any batch, no matter how far its workers have read ahead.

    A pass begins with its first batch, for any number of workers: ``iter(loader)`` alone does nothing. Batches whose
    samples all failed are left out. `loader` returns one.

    Args:
        dataset: as in DataLoader. It stays as it is; only iterators read it through a wrapper.
        in_place: whether batches are made in place; then `collate_fn` calls `collate`.
        on_unkeyed: for a dataset that draws random numbers itself, "raise", "warn" or "allow".
        options: DataLoader's other arguments.

    Raises:
        ValueError: a trainer has wrapped the sampler to share it out, so that no run can resume within an epoch.

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

    _calls: tuple[int, ...] = ()
    """How often set_epoch of each dataset had been called at the last look."""

    def __init__(
        self,
        dataset: Any,
        *,
        in_place: bool = False,
        on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
        **options: Any,
    ) -> None:
        super().__init__(dataset, **options)
        # Lightning makes the loader again of the attributes that have its arguments' names.
        self.in_place, self.on_unkeyed = in_place, on_unkeyed
        outer: Any = dataset
        if not isinstance(dataset, AugmentedDataset):
            outer = Carrier(dataset, on_unkeyed=on_unkeyed)
        outer = self._outer = RowByRow(outer) if in_place else outer
        if outer is not dataset:
            outer._users = dataset
        _check_not_wrapped(self.sampler)

    def _get_iterator(self) -> Any:
        """Return torch's iterator over what carries stamps and rows, which no loader has as its dataset."""
        if self.persistent_workers and self._iterator is None:
            self.copied = Copied(self.dataset)
        as_read = copy(self)
        vars(as_read)["dataset"] = self._outer
        if self.num_workers:
            as_read.worker_init_fn = partial(_begin_worker, function=self.worker_init_fn)
        return super(KeyedLoader, as_read)._get_iterator()

    def __iter__(self) -> Any:
        self.report()  # the failures of a pass that was left
        keyed = keyed_of(self)
        if keyed is None:  # a trainer has replaced the sampler
            return super().__iter__()
        return _KeyedBatches(self, keyed, super().__iter__)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the run after the last batch that was handed out.

        Raises:
            RuntimeError: a pass is open that is not the latest.
            ValueError: the batches do not come in the order of their indices.
        """
        keyed = keyed_of(self)
        if keyed is None:
            return {}
        state = keyed.state_dict()
        if state["yielded"] and not keyed.all_seen:
            check_in_order(self)
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume at a state in the next pass, with any number of workers and any batch size."""
        keyed = keyed_of(self)
        if keyed is None and state:
            raise ValueError(
                "this loader has no KeyedSampler to take the state: make it with seedsafe_torch.loader"
            )
        if keyed is not None:
            keyed.load_state_dict(state)

    def resume(self, *, step: SupportsIndex, epoch: SupportsIndex | None = None) -> None:
        """Go on after some batches, in the next pass: for a checkpoint that has the number of steps and no state of the loader.

        Args:
            step: how many batches the run has handed out on this rank since it began, or in `epoch` if that is set.
            epoch: the epoch; by default it follows from `step` and the loader's length.

        Raises:
            TypeError: an argument has the wrong type, or the loader has no length and `epoch` is missing.
            ValueError: an argument is out of its range, or the loader has no KeyedSampler.

        Example:
            >>> from seedsafe_torch import AugmentedDataset, loader
            >>> loading = loader(AugmentedDataset([0, 1, 2, 3], seed=42), batch_size=2)
            >>> loading.resume(step=3)
            >>> list(loading), loading.state_dict()["epoch"]
            ([tensor([2, 3])], 2)
        """
        keyed = keyed_of(self)
        items = 0 if keyed is None else items_of_a_batch(self, keyed)
        if keyed is None or not items:
            raise ValueError(
                "this loader has no KeyedSampler of its own to resume: make it with seedsafe_torch.loader"
            )
        batches = checked_int("step", step, 0, 2**63, "pass the number of batches")
        if epoch is None:
            number, batches = divmod(batches, max(len(self), 1))
        else:
            number = checked_int("epoch", epoch, 0, 2**32, "pass the epoch's number, 0 for the first")
            length = length_of(self)
            if length is not None:
                checked_int("step", batches, 0, length + 1, f"epoch {number} has {length} batches")
        if batches:
            check_in_order(self)
        keyed.resume(number, batches * items)

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, as trainers do before each; see KeyedSampler."""
        keyed = keyed_of(self)
        if keyed is not None and keyed.epoch is None:
            keyed.set_epoch(epoch)

    def peek(self, count: int) -> list[Any]:
        """Return the first batches of the next pass, at most so many, read in this process, without beginning the pass."""
        keyed = keyed_of(self)
        return [] if keyed is None else first_batches(self, keyed, count)

    def report(self) -> None:
        """Report the samples that failed since the last report."""
        logging = [
            inside for inside in nested(self.dataset) if inside.faults.log is not None or inside.bridged
        ]
        for number, inside in enumerate(logging, 1):
            inside.report_failures(f"dataset {number} of {len(logging)}: " if len(logging) > 1 else "")

    def take_epoch(self, keyed: KeyedSampler) -> None:
        """Take over an epoch that was set on the dataset."""
        epochs = [inside._epoch_calls for inside in outermost(self.dataset)]
        before = self._calls or (0,) * len(epochs)
        self._calls = tuple(calls for calls, _ in epochs)
        for (calls, epoch), calls_before in zip(epochs, before, strict=True):
            if calls != calls_before:
                keyed.take_epoch(epoch, "the dataset")


def _begin_worker(worker: int, function: Callable[[int], Any] | None) -> None:
    """Let a worker's ``get_worker_info()`` have the user's dataset, and then call the user's function."""
    info: Any = get_worker_info()
    tell_worker(dataset=users(info.dataset))
    if function is not None:
        function(worker)


class _KeyedBatches(Batches):
    """Batches, counted as they are handed out."""

    _progress: Progress | None = None

    def __init__(self, loading: KeyedLoader, keyed: KeyedSampler, begin: Callable[[], Any]) -> None:
        super().__init__(loading)
        self._keyed = keyed
        self._begin = begin
        self._step = items_of_a_batch(loading, keyed)
        self._handed_out = 0
        self._failed = 0  # batches in a row that raised an error

    def __next__(self) -> Any:
        try:
            batch = self._first() if self._batches is None else next(self._batches, _END)
            while type(batch) is Skipped:
                self._see()
                batch = next(self._batches, _END)
        except BaseException:
            self._failed += 1
            raise
        if batch is _END:
            if self._progress is not None:
                self._progress.ended = True
            self._loading.report()
            # Whoever catches it may make the loader anew, and its traceback would keep this one.
            del self
            raise StopIteration
        self._see()
        self._handed_out += 1
        return batch

    def _first(self) -> Any:
        """Begin the pass, and return its first batch."""
        if self._loading.num_workers:
            check_main()
        self._loading.take_epoch(self._keyed)
        watch = partial(setattr, self, "_progress") if self._step else None
        with self._keyed.watched(watch, self._loading):
            # persistent workers have one iterator for all passes, so a pass beside others gets its own workers
            beside = self._loading.persistent_workers and self._keyed.open_passes
            if self._loading._iterator is not None and not beside:
                self._loading.copied.check()
            self._batches = self._loading._get_iterator() if beside else self._begin()
            return next(self._batches, _END)

    def _see(self) -> None:
        if self._progress is not None:
            self._progress.see(self._step * (1 + self._failed))
        self._failed = 0

    def __del__(self) -> None:
        progress = self._progress
        if progress is None or progress.dropped or sys.is_finalizing():
            return
        rest = not progress.exhausted or progress.seen < progress.drawn
        more = rest and not (progress.ended or self._failed)
        progress.dropped = True
        first_alone = self._handed_out == 1 and progress.seen == self._step
        if first_alone and more and len(self._loading) > 1 and progress.whole:
            self._keyed.warn_of_left_pass()


def first_batches(loading: DataLoader[Any], keyed: KeyedSampler, count: int) -> list[Any]:
    """Return the first batches of the next pass over a loader of this sampler; see `KeyedLoader.peek`."""
    if isinstance(loading, KeyedLoader):
        loading.take_epoch(keyed)
    in_batches = loading.batch_sampler is not None
    with keyed.peeked(loading):
        batches: Any = loading.batch_sampler if in_batches else loading.sampler
        requests = list(islice(batches, count))
    kinds: Any = _DatasetKind  # a DataLoader's own iterators read with it
    dataset = getattr(loading, "_outer", loading.dataset)
    fetcher = kinds.create_fetcher(kinds.Map, dataset, in_batches, loading.collate_fn, loading.drop_last)
    with keeping_epochs():
        return [fetcher.fetch(indices) for indices in requests]


def _check_not_wrapped(sampler: Any) -> None:
    """Refuse the wrapper of Lightning and Fabric, which reads the sampler ahead. With a fixed epoch it does no harm."""
    inside = getattr(getattr(sampler, "dataset", None), "_sampler", None)
    if any(isinstance(reached, KeyedSampler) and reached.epoch is None for reached in chain_of(inside)):
        raise sharing_error(sampler)


class Copied:
    """A dataset as workers get it when they start: how often its attributes were set, and the plain attributes of those inside.

    Args:
        dataset: the dataset of a loader.
    """

    def __init__(self, dataset: Any) -> None:
        found = [one._changes for one in nested(dataset) if hasattr(one, "_changes")]
        self._changes = [(changes, changes.count) for changes in found]
        # A base behind a dataset gets its epoch in the workers too.
        bases = (one for keyed in nested(dataset) for one in walk(keyed.reader.base))
        ours = {(id(one), "epoch") for one in bases if hasattr(one, "set_epoch")}
        self._plain = [
            (one, key, text)
            for one in walk(dataset)
            for key, value in getattr(one, "__dict__", {}).items()
            if not key.startswith("_") and (id(one), key) not in ours and (text := _plain(value)) is not None
        ]

    def check(self) -> None:
        """Compare the dataset with the copies that workers go on to read, and warn once if a plain attribute changed by itself.

        Raises:
            RuntimeError: an attribute was set through an AugmentedDataset. Workers find that out only as another epoch begins.
        """
        for changes, count in self._changes:
            if changes.count != count:
                raise RuntimeError(STALE.format(changes.name))
        for inside, name, content in self._plain:
            if _plain(vars(inside).get(name)) != content:
                self._plain = []
                frames.warn(
                    f"{name} of the {type(inside).__qualname__} changed after the persistent workers began, which read their own copies "
                    "with the old value: change it before the first pass, or make the loader without persistent_workers"
                )
                return


def _plain(value: Any) -> str | None:
    """Return the content of a number, a string, or a short list or array, or None for other things."""
    if isinstance(value, np.ndarray):
        return str(value.tobytes()) if value.size <= _MOST and not value.dtype.hasobject else None
    entries = value if isinstance(value, list | tuple) else (value,)
    plain = len(entries) <= _MOST and all(isinstance(entry, _SCALARS) for entry in entries)
    return repr(value) if plain else None
