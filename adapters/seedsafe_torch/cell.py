"""The epoch in memory that workers share.

The memory has no file and no descriptor until workers start that do not inherit it, by spawn or forkserver.
"""

from __future__ import annotations

import mmap
import multiprocessing.context
import os
import sys
import tempfile
import warnings
import weakref
import zlib
from collections.abc import Callable
from multiprocessing.heap import Arena
from multiprocessing.reduction import DupFd
from typing import Any, Final, Literal, SupportsIndex

from torch.utils.data import get_worker_info

from seedsafe import VALIDATION_EPOCH, SampleKey
from seedsafe.reading import PassesOn, WarningLog
from seedsafe_torch import frames
from seedsafe_torch.dtypes import join_dtypes

__all__ = ["STALE", "Changes", "EpochCell", "Noting", "SharedBytes", "epoch_to_set"]

STALE: Final = (
    "{} was set after the workers began, which read their own copies of the dataset: set it before the first pass, or make the loader "
    "without persistent_workers"
)
"""The error of a pass of workers whose copies are older."""

_MOST: Final = 2**20  # indices that are watched, one byte each
_NUMBERS: Final = 40  # bytes: the epoch, the bits of the warnings, the first epoch that was read plus 1, the latest and a mark of its order
_EPOCH_TWICE: Final = 2**16  # the bits of warnings; a reader's warnings use others
_ORDER_TWICE: Final = 2**17
_BY_WORKER: Final = 2**18  # not yet given in the training process


class SharedBytes:
    """Memory, zeros at first, that this process shares with workers that it starts.

    Pickled at any other time, or copied, it becomes a copy. On Windows, where this is untested, multiprocessing
    shares the memory by name.

    Args:
        size: the size in bytes.
    """

    _file: int | None = None

    def __init__(self, size: int) -> None:
        self._size = size
        self._arena: Any = Arena(size) if sys.platform == "win32" else None
        self._maps: list[Any] = [mmap.mmap(-1, size) if self._arena is None else self._arena.buffer]

    def views(self, form: Literal["B", "q"]) -> list[memoryview[int]]:
        """Return views, as bytes or 64-bit integers, of the memory's file, if it has one, and of the memory that forked workers have."""
        return [memoryview(mapped).cast(form) for mapped in self._maps]

    def __getstate__(self) -> dict[str, Any]:
        if multiprocessing.context.get_spawning_popen() is None:
            return {"size": self._size, "content": bytes(self._maps[0])}
        if self._arena is not None:
            return {"size": self._size, "arena": self._arena}
        if self._file is None:
            self._file = _new_file(self._size)
            weakref.finalize(self, os.close, self._file)
            self._maps.insert(0, mmap.mmap(self._file, self._size))
            self._maps[0][:] = self._maps[1][:]
        return {"size": self._size, "file": DupFd(self._file)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._size, self._arena = state["size"], state.get("arena")
        if "file" in state:
            file = state["file"].detach()
            self._maps = [mmap.mmap(file, self._size)]
            os.close(file)
        elif self._arena is not None:
            self._maps = [self._arena.buffer]
        else:
            self.__init__(self._size)  # type: ignore[misc]
            self._maps[0][:] = state["content"]


def _new_file(size: int) -> int:
    """Return a descriptor of a file without a name, in memory if the system has such files."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("seedsafe-epoch", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as opened:
            file = os.dup(opened.fileno())
    os.ftruncate(file, size)
    return file


class Changes:
    """How often attributes of a dataset were set: in this process's copy of it, and in shared memory by the process that made it.

    So the copy of a worker that is kept for several epochs finds out that it is old. A copy's own changes concern no other: a
    ``worker_init_fn`` may set what it likes.
    """

    count, name = 0, ""
    """How often an attribute was set in this process, and the last one's name."""

    begun: int | None = None
    """The epoch of the latest read in this process."""

    def __init__(self) -> None:
        self._memory, self._maker, self._known = SharedBytes(8), os.getpid(), 0

    def note(self, name: str) -> None:
        """Note that an attribute was set in this process."""
        self.count, self.name = self.count + 1, name
        if os.getpid() == self._maker:
            self._known += 1
            for numbers in self._memory.views("q"):
                numbers[0] = self._known

    def begin(self, epoch: int) -> None:
        """Begin an epoch in this process.

        Raises:
            RuntimeError: an attribute was set since this process got its copy.
        """
        if self._memory.views("q")[-1][0] != self._known:
            raise RuntimeError(STALE.format("an attribute"))
        join_dtypes()
        self.begun = epoch


class Noting(PassesOn):
    """An object of which workers have copies: what is set on it is noted for them."""

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
        watched = -(-(length or 0) // self._step)
        self._map(SharedBytes(_NUMBERS + watched))

    def _map(self, memory: SharedBytes) -> None:
        self._memory = memory
        whole, *before = memory.views("B")
        self._view = whole[:_NUMBERS].cast("q")
        self._served = whole[_NUMBERS:]
        self._before = [memory_before[:_NUMBERS].cast("q") for memory_before in before]

    @property
    def epoch(self) -> int:
        """The current epoch."""
        epoch: int = self._view[0]
        return epoch

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self.hand_on()
        for numbers in (self._view, *self._before):
            numbers[0] = epoch

    def first(self, kind: int) -> bool:
        """Return whether to give a warning now: True once for each kind, in all processes."""
        if self._view[1] & kind:
            return False
        self._view[1] |= kind
        return True

    def first_epoch(self, epoch: int) -> int:
        """Return the first epoch that was read, in any process, which is this one if none was."""
        if not self._view[2]:
            for numbers in (self._view, *self._before):
                numbers[2] = epoch + 1
        return self._view[2] - 1

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
        epoch: int = self._view[0]
        by_hand = asked is None
        if isinstance(asked, list) and self._ordered != epoch:
            self._note_order(epoch, seed(), asked)
        block, rest = divmod(index, self._step)
        if block < len(self._served) and rest == block * 0x9E3779B1 % 2**32 % self._step:
            mark = epoch % 255 + 1
            twice = self._served[block] == mark
            if twice and by_hand and self._looked_at in (None, index):
                self._looked_at, twice = index, False
            if twice and self.first(_EPOCH_TWICE):
                self._warn(
                    f"index {index} is read a second time in epoch {epoch}, with the same augmentation, because the dataset "
                    "does not know the epoch. Use seedsafe_torch.loader or KeyedSampler, or call dataset.set_epoch(epoch) "
                    "before each epoch; in a thread of your own, read dataset.at(index, epoch=epoch) with the epoch of "
                    "seedsafe.current_key() from where the thread is started"
                )
            self._served[block] = mark
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
        before, was, self._view[3], self._view[4] = self._view[3], self._view[4], epoch + 1, mark
        if was == mark and before != epoch + 1 and self.first(_ORDER_TWICE):
            self._warn(
                f"epoch {epoch} begins in the same order as epoch {before - 1}, because the generator of the DataLoader was set to one seed "
                "before each: make the DataLoader and its generator once, before the loop over the epochs, or use "
                "`seedsafe_torch.loader(dataset, shuffle=True)`, whose order follows from (seed, epoch)"
            )

    def _warn(self, text: str) -> None:
        warnings.warn(text, stacklevel=frames.users_level())
        if get_worker_info() is not None:
            self._view[1] |= _BY_WORKER

    def hand_on(self) -> None:
        """Warn in the training process if a worker has warned of an epoch that comes again: what a worker prints may be lost."""
        if self._view[1] & _BY_WORKER and get_worker_info() is None:
            self._view[1] ^= _BY_WORKER
            warnings.warn(
                "a worker has read samples, or begun an order, that came in the epoch before: call dataset.set_epoch(epoch) before each epoch, "
                "and make the DataLoader and its generator once, before the loop; or use seedsafe_torch.loader, which does both",
                stacklevel=frames.users_level(),
            )

    def __reduce__(self) -> Any:
        memory = self._memory.__getstate__()
        self._map(self._memory)  # it may have moved to a file
        return _rebuild, (memory, self._step)


def _rebuild(memory: dict[str, Any], step: int) -> EpochCell:
    shared, cell = SharedBytes.__new__(SharedBytes), EpochCell.__new__(EpochCell)
    shared.__setstate__(memory)
    cell._step = step
    cell._map(shared)
    return cell
