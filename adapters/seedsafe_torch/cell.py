"""The epoch in memory that workers share.

The memory has no file and no descriptor until workers start that do not inherit it, by spawn or forkserver.
"""

from __future__ import annotations

import mmap
import multiprocessing.context
import os
import zlib
from collections.abc import Callable
from typing import Any, Final, SupportsIndex

import torch
from torch.utils.data import get_worker_info

from seedsafe import VALIDATION_EPOCH, SampleKey
from seedsafe.reading import PassesOn, WarningLog
from seedsafe_torch import frames
from seedsafe_torch.dtypes import join_dtypes

__all__ = ["STALE", "Changes", "EpochCell", "Noting", "Shared", "epoch_to_set"]

STALE: Final = (
    "{} was set after the workers began, which read their own copies of the dataset: set it before the first pass, or make the loader "
    "without persistent_workers"
)
"""The error of a pass of workers whose copies are older."""

_MOST: Final = 2**20  # indices that are watched, one byte each
# The numbers that a dataset shares with its workers: how often it was changed, its epoch, the first epoch that was read plus 1, the latest
# plus 1 and a mark of its order, and whether a worker has warned.
_CHANGED, _EPOCH, _FIRST, _LATEST, _ORDER, _BY_WORKER = range(6)
_EPOCH_TWICE, _ORDER_TWICE = 2**16, 2**17  # kinds of warnings; a reader's warnings are others
_KINDS: Final = 24  # bytes, one for each kind of warning that was given


class Shared:
    """Integers, zeros at first, that this process shares with workers that it starts, and bytes behind them, its `marks`.

    Its numbers are read and set like those of a list. Pickled at any other time, or copied, it becomes a copy.

    Args:
        numbers: how many integers of 64 bits.
        marks: how many bytes.
    """

    _tensor: Any = None
    """The memory of workers that do not inherit it. torch hands that to them, on every system."""

    def __init__(self, numbers: int, marks: int = 0) -> None:
        self._numbers, self._size = 8 * numbers, 8 * numbers + marks
        self._use(memoryview(mmap.mmap(-1, self._size)))

    def _use(self, *memories: memoryview) -> None:
        """Keep memory that torch shares, if there is some, and that of workers that were forked before."""
        self._memories = memories
        self._views = [memory[: self._numbers].cast("q") for memory in memories]
        self.numbers = self._views[0]  # for many reads, a third of the time
        self.marks = memories[0][self._numbers :]

    def __getitem__(self, place: int) -> int:
        return self.numbers[place]

    def __setitem__(self, place: int, number: int) -> None:
        for view in self._views:
            view[place] = number

    def __getstate__(self) -> dict[str, Any]:
        state = {"_numbers": self._numbers, "_size": self._size}
        if multiprocessing.context.get_spawning_popen() is None:
            return state | {"content": bytes(self._memories[0])}
        if self._tensor is None:
            copy: Any = torch.frombuffer(bytearray(self._memories[0]), dtype=torch.uint8)
            self._tensor = copy.share_memory_()
            self._use(memoryview(self._tensor.numpy()), *self._memories)
        return state | {"_tensor": self._tensor}

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.pop("content", None)
        vars(self).update(state)
        if self._tensor is not None:
            self._use(memoryview(self._tensor.numpy()))
        else:
            self.__init__(self._numbers // 8, self._size - self._numbers)  # type: ignore[misc]
            self._memories[0][:] = content


class Changes:
    """How often attributes of a dataset were set: in this process's copy of it, and in shared memory by the process that made it.

    So the copy of a worker that is kept for several epochs finds out that it is old. A copy's own changes concern no other: a
    ``worker_init_fn`` may set what it likes.

    Args:
        shared: the dataset's numbers, of which the first is for this.
    """

    count, name = 0, ""
    """How often an attribute was set in this process, and the last one's name."""

    begun: int | None = None
    """The epoch of the latest read in this process."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._maker, self._known = shared, os.getpid(), 0

    def note(self, name: str) -> None:
        """Note that an attribute was set in this process."""
        self.count, self.name = self.count + 1, name
        if os.getpid() == self._maker:
            self._known += 1
            self._shared[_CHANGED] = self._known

    def begin(self, epoch: int) -> None:
        """Begin an epoch in this process.

        Raises:
            RuntimeError: an attribute was set since this process got its copy.
        """
        if self._shared[_CHANGED] != self._known:
            raise RuntimeError(STALE.format("an attribute"))
        join_dtypes()
        self.begun = epoch


class Noting(PassesOn):
    """An object that workers copy; attributes that are set on it are recorded for them."""

    epoch: int | None
    _changes: Changes

    def was_set(self, name: str, *, there: bool) -> None:
        """Note that an attribute was set, for the workers, which have copies."""
        super().was_set(name, there=there)
        if self.passes_on_to() is not None and not name.startswith("_"):
            self._changes.note(name)

    def begin(self, epoch: int) -> None:
        """Begin an epoch in this process, if a read belongs to another one than the read before, or in a worker all reads to one.

        Raises:
            RuntimeError: this process has an older copy; see `Changes`.
        """
        if epoch != self._changes.begun or (epoch == self.epoch and get_worker_info() is not None):
            self._changes.begin(epoch)


def epoch_to_set(epoch: SupportsIndex, what: str) -> int:
    """Return the argument of a ``set_epoch``.

    Raises:
        ValueError: it is reserved for validation, which must not depend on who sets an epoch last.
    """
    number = SampleKey(0, epoch, 0).epoch
    if number == VALIDATION_EPOCH:
        raise ValueError(
            f"set_epoch(VALIDATION_EPOCH) would last until a trainer or loader sets another epoch: make {what} for validation with "
            "epoch=seedsafe.VALIDATION_EPOCH, which nobody moves"
        )
    return number


class EpochCell(WarningLog):
    """The current epoch, the indices read in it, and the warnings given, shared with worker processes.

    Some trainers build their own loader around the dataset and set the epoch on the dataset alone. The cell reaches their
    workers under every start method, persistent workers too. Pickled outside a worker's start, or copied, it becomes a
    separate cell. In a dataset of more than 2**20 samples, only a part of the indices is watched.

    Args:
        length: the length of the dataset, or None if it has none.
    """

    last: Any = None
    """The index that was read last, as the loader passed it."""

    _ordered: int | None = None  # the latest epoch of which this process has noted how it begins
    _order_seed: int | None = None
    _looks = 16
    _looked_at: int | None = None

    def __init__(self, length: int | None) -> None:
        self._step = max(-(-(length or 0) // _MOST), 1)
        self._watched = -(-(length or 0) // self._step)
        self.shared = Shared(_BY_WORKER + 1, _KINDS + self._watched)

    def set_epoch(self, epoch: int) -> None:
        """Set the current epoch."""
        self.hand_on()
        self.shared[_EPOCH] = epoch

    def first(self, kind: int) -> bool:
        """Return whether to give a warning now: True once for each kind in a process, and in none once another has given it.

        Two workers that get here at the same time may both give it, because neither waits for the other.
        """
        marks, place = self.shared.marks, kind.bit_length()
        given, marks[place] = marks[place], 1
        return not given

    def first_epoch(self, epoch: int) -> int:
        """Return the first epoch that was read, in any process, which is this one if none was."""
        if not self.shared[_FIRST]:
            self.shared[_FIRST] = epoch + 1
        return self.shared[_FIRST] - 1

    def takes_a_look(self) -> bool:
        """Return whether to look for the code that reads one index twice: only the first few times, because that is slow."""
        self._looks -= 1
        return self._looks >= 0

    def serve(self, index: int, asked: Any = (), seed: Callable[[], int | None] = int) -> int:
        """Return the epoch for a read of an index, and warn once if it was read in this epoch before.

        An index may be read by hand any number of times; then the warning comes for a second index that is read twice.

        Args:
            index: the index.
            asked: what a DataLoader reads it for, an index or a batch of them, or None if it is read by hand.
            seed: returns what that DataLoader drew from its generator for the pass, or None.
        """
        epoch, marks = self.shared.numbers[_EPOCH], self.shared.marks
        by_hand = asked is None
        if isinstance(asked, list) and self._ordered != epoch:
            self._note_order(epoch, seed(), asked)
        block, rest = divmod(index, self._step)
        if block < self._watched and rest == block * 0x9E3779B1 % 2**32 % self._step:
            mark = epoch % 255 + 1
            twice = marks[_KINDS + block] == mark
            if twice and by_hand and self._looked_at in (None, index):
                self._looked_at, twice = index, False
            if twice and self.first(_EPOCH_TWICE):
                self._warn(
                    f"index {index} is read a second time in epoch {epoch}, with the same augmentation, because the dataset "
                    "does not know the epoch. Use seedsafe_torch.loader or KeyedSampler, or call dataset.set_epoch(epoch) "
                    "before each epoch; in a thread of your own, read dataset.at(index, epoch=epoch) with the epoch of "
                    "seedsafe.current_key() from where the thread is started"
                )
            marks[_KINDS + block] = mark
        return epoch

    def _note_order(self, epoch: int, seed: int | None, first: list[Any]) -> None:
        """Note how a DataLoader of somebody else begins an epoch, and warn once if the epoch before began in the same order by the same seed.

        Args:
            epoch: the epoch, which somebody has set.
            seed: what the DataLoader drew from its generator for the pass, or None if that is unknown.
            first: the indices of its first batch.
        """
        self._ordered, is_kept = epoch, seed == self._order_seed and get_worker_info() is not None
        self._order_seed = seed
        if seed is None or is_kept or first == list(range(len(first))):
            return
        mark = 1 + zlib.crc32(repr((seed, first)).encode())
        before, was = self.shared[_LATEST], self.shared[_ORDER]
        self.shared[_LATEST], self.shared[_ORDER] = epoch + 1, mark
        if was == mark and before != epoch + 1 and self.first(_ORDER_TWICE):
            self._warn(
                f"epoch {epoch} begins in the same order as epoch {before - 1}, because the generator of the DataLoader was set to one seed "
                "before each: make the DataLoader and its generator once, before the loop over the epochs, or use "
                "`seedsafe_torch.loader(dataset, shuffle=True)`, whose order follows from (seed, epoch)"
            )

    def _warn(self, text: str) -> None:
        frames.warn(text)
        if get_worker_info() is not None:
            self.shared[_BY_WORKER] = 1

    def hand_on(self) -> None:
        """Warn in the training process if a worker has warned of an epoch that comes again: what a worker prints may be lost."""
        if self.shared[_BY_WORKER] and get_worker_info() is None:
            self.shared[_BY_WORKER] = 0
            frames.warn(
                "a worker has read samples, or begun an order, that came in the epoch before: call dataset.set_epoch(epoch) before each epoch, "
                "and make the DataLoader and its generator once, before the loop; or use seedsafe_torch.loader, which does both"
            )

    def __getstate__(self) -> dict[str, Any]:
        names = ("_step", "_watched", "shared")  # what this process noted is not the other's
        return {name: vars(self)[name] for name in names}
