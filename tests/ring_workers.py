"""Processes that make batches in a ring; apart, so that spawned ones import no more than this."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from multiprocessing.connection import Connection
from typing import Any, Self

import numpy as np

from seedsafe import ring

SHAPE = (8, 3, 40, 40)


def batch(value: int, shape: tuple[int, ...] = SHAPE, dtype: str = "float32") -> np.ndarray:
    """Return what a worker makes of a number, as it is made without a ring."""
    return (np.arange(np.prod(shape)) % 101 + value).astype(dtype).reshape(shape)


def made(value: int, shape: tuple[int, ...] = SHAPE, dtype: str = "float32") -> np.ndarray:
    """Return the same in a ring."""
    array = ring.empty(shape, dtype, travels=True)
    array[...] = batch(value, shape, dtype)
    return array


def sample(value: int) -> dict[str, Any]:
    """Return one sample of several parts."""
    return {
        "image": batch(value, (3, 60, 60)),
        "mask": batch(value, (200, 200), "uint8"),
        "label": value,
        "name": f"sample {value}",
        "boxes": np.zeros((value % 3, 4)),
    }


def collated(first: int) -> dict[str, Any]:
    """Return a batch of samples whose array parts were written row by row."""
    rows = ring.Rows(16, travels=True)
    samples = [rows.place(sample(first + number)) for number in range(16)]
    together: dict[str, Any] = {name: [one[name] for one in samples] for name in samples[0]}
    return together | {name: ring.batch_at(together[name]) for name in ("image", "mask")}


def columns(parts: int) -> list[np.ndarray]:
    """Return a batch of several large parts, whose samples were written row by row."""
    rows = ring.Rows(4, travels=True)
    samples = [rows.place([np.full(1 << 15, number, np.uint8) for number in range(parts)]) for _ in range(4)]
    return [ring.batch_at(column) for column in zip(*samples, strict=True)]


kept: list[np.ndarray] = []


def _serve(orders: Connection) -> None:
    while (order := orders.recv()) is not None:
        name, *arguments = order
        if name == "keep":
            kept.append(made(*arguments))
            orders.send(kept[-1])
        elif name == "forget":
            kept.clear()
            orders.send(None)
        else:
            orders.send(globals()[name](*arguments))


class Worker:
    """A process that makes one batch after the other, when told."""

    def __init__(self, method: str = "fork") -> None:
        context = multiprocessing.get_context(method)
        self.orders, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def __call__(self, name: str, *arguments: Any) -> Any:
        self.orders.send((name, *arguments))
        return self.orders.recv()

    def bytes(self, name: str, *arguments: Any) -> bytes:
        """Return the message instead of what it becomes."""
        self.orders.send((name, *arguments))
        return self.orders.recv_bytes()

    def met(self) -> Self:
        """Return the worker once its ring is mapped here: the first batch goes by value."""
        self("made", 0)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.is_alive():
            self.orders.send(None)
        self.process.join()
        self.orders.close()


def slots() -> list[int]:
    """Return the states of this process's own slots."""
    from seedsafe.ring.arena import ABSENT
    from seedsafe.ring.arrays import _mine

    assert _mine.ring is not None
    return [state for state in _mine.ring.states if state != ABSENT]


def taken() -> int:
    """Return how many slots this process holds arrays over."""
    from seedsafe.ring.arrays import _mine

    return 0 if _mine.ring is None else sum(_mine.ring.written)


def resident() -> int:
    """Return how many bytes of this process's ring are in memory."""
    from seedsafe.ring.arrays import _mine

    assert _mine.ring is not None
    return os.fstat(_mine.ring.file).st_blocks * 512


def hold(message: bytes) -> np.ndarray:
    """Return what a message becomes, and keep it."""
    kept.append(pickle.loads(message))
    return kept[-1]


def still(value: int) -> bool:
    """Return whether what this process keeps is what it made of a number."""
    return all((one == batch(value)).all() for one in kept)


def failing(value: int) -> int:
    """Fail in the middle of a batch, and return how many slots are taken afterwards."""
    rows = ring.Rows(16, travels=True)
    try:
        samples = [rows.place(sample(value + number)) for number in range(5)]
        raise OSError("the disk is gone")
    except OSError:
        samples = []
    del rows, samples
    return taken()


def staying(value: int) -> np.ndarray:
    """Make a batch in a process that says that it ends only when its reader reads no more."""
    ring.stay()
    return made(value)


def reason() -> str | None:
    """Return why this process's batches do not travel in place."""
    return ring.why_not()
