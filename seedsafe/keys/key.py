"""The stream contract, version 1: keys and addresses.

An address ``(seed, epoch, index, occurrence, view, op, call)`` is written, word by word, into the key and the counter
of NumPy's Philox4x64-10. Nothing is added and nothing is hashed into fewer bits, so within one seed no two
addresses share a block. The table of words is in ``docs/reference/contract.md``.
"""

from __future__ import annotations

import hashlib
import operator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.random import Philox
from numpy.random.bit_generator import ISeedSequence

__all__ = [
    "CONTRACT_VERSION",
    "VALIDATION_EPOCH",
    "Address",
    "SampleIndex",
    "SampleKey",
    "address",
    "check_name",
    "checked_int",
    "op_of",
    "record_index",
]

CONTRACT_VERSION = 1
"""The version of the stream contract: an address has the same words in every release with the same version."""

VALIDATION_EPOCH = 2**32 - 1
"""The epoch reserved for validation. Training never reaches it, so the two share no stream."""

_WORD = 2**64 - 1
_WAY_OUT = {
    "seed": "pass one integer for the whole run",
    "epoch": "pass the epoch's number, 0 for the first",
    "index": "pass the sample's position in the base dataset, or record_index(its id)",
    "occurrence": "count how often the index came before in this epoch, from 0",
    "view": "number the views of one sample from 0",
    "call": "leave it out; calls without a key inside a read are numbered from 1",
}


class Address(NamedTuple):
    """The two key words and four counter words of Philox at which a stream begins, as plain integers."""

    seed_low: int
    seed_high: int
    block: int
    moment: int  # epoch << 32 | occurrence << 16 | view
    stream: int  # op << 32 | call << 16 | jumps
    index: int  # type: ignore[assignment]  # the field's name; nobody searches an address


def checked_int(name: str, value: Any, low: int, high: int, way_out: str) -> int:
    """Return `value` as an int in [low, high), or raise an error."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}: {way_out}")
    if not low <= number < high:
        # A limit that is a large power of two reads better as one.
        top = f"2**{high.bit_length() - 1}" if high & (high - 1) == 0 and high > 2**15 else str(high)
        raise ValueError(f"{name} must be at least {low} and below {top}, got {number}: {way_out}")
    return number


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SampleKey:
    """The key of one sample. It alone determines everything random about the sample.

    Args:
        seed: the run's seed, 0 ≤ seed < 2**128.
        epoch: 0 ≤ epoch < 2**32.
        index: the sample's position in the base dataset, 0 ≤ index < 2**64.
        occurrence: how many times this index has already come in this epoch, < 2**16.
        view: the number of the view of this sample, < 2**16.
        call: the number of a call without a key inside the sample's read, from 1, < 2**16; 0 for calls with a key.

    Raises:
        TypeError: a field is missing, or is not an integer (bool and float are not).
        ValueError: a field is out of its range.

    Example:
        >>> SampleKey(42, 3, 1234)
        SampleKey(seed=42, epoch=3, index=1234, occurrence=0, view=0)
    """

    seed: int
    epoch: int
    index: int
    occurrence: int = 0
    view: int = 0
    call: int = 0

    def __init__(
        self,
        seed: SupportsIndex | None = None,
        epoch: SupportsIndex | None = None,
        index: SupportsIndex | None = None,
        *,
        occurrence: SupportsIndex = 0,
        view: SupportsIndex = 0,
        call: SupportsIndex = 0,
    ) -> None:
        # Plain integers in range pass this one test, because every sample makes a key. Only the rest takes
        # the calls below, which convert NumPy integers and word the errors.
        if not (
            (type(seed) is int and 0 <= seed < _SEEDS)
            and (type(epoch) is int and 0 <= epoch < _EPOCHS)
            and (type(index) is int and 0 <= index < _INDICES)
            and (type(occurrence) is int and 0 <= occurrence < _COUNTS)
            and (type(view) is int and 0 <= view < _COUNTS)
            and (type(call) is int and 0 <= call < _COUNTS)
        ):
            seed = _field("seed", seed, _SEEDS)
            epoch = _field("epoch", epoch, _EPOCHS)
            index = _field("index", index, _INDICES)
            occurrence = _field("occurrence", occurrence, _COUNTS)
            view = _field("view", view, _COUNTS)
            call = _field("call", call, _COUNTS)
        _set_seed(self, seed)
        _set_epoch(self, epoch)
        _set_index(self, index)
        _set_occurrence(self, occurrence)
        _set_view(self, view)
        _set_call(self, call)

    def of_call(self, number: int, seed: int | None = None) -> SampleKey:
        """Return the key of a call without a key inside this sample's read, in a run with another seed unless that is None."""
        seed = self.seed if seed is None else seed
        return SampleKey(
            seed, self.epoch, self.index, occurrence=self.occurrence, view=self.view, call=number
        )

    def __repr__(self) -> str:
        call = f", call={self.call}" if self.call else ""
        return (
            f"SampleKey(seed={self.seed}, epoch={self.epoch}, index={self.index}, occurrence={self.occurrence}, "
            f"view={self.view}{call})"
        )


# As many values as an address has bits for.
_SEEDS, _EPOCHS, _INDICES, _COUNTS = 2**128, 2**32, 2**64, 2**16
# Every sample makes a key: these setters take half the time of object.__setattr__ (benchmarks/keys.py).
_set_seed, _set_epoch, _set_index, _set_occurrence, _set_view, _set_call = (
    vars(SampleKey)[name].__set__ for name in ("seed", "epoch", "index", "occurrence", "view", "call")
)


def _field(name: str, value: Any, limit: int) -> int:
    if value is None:
        raise TypeError(f"a sample's key needs {name}: {_WAY_OUT[name]}")
    return checked_int(name, value, 0, limit, _WAY_OUT[name])


class SampleIndex(int):
    """An index that carries its epoch, occurrence and view from the sampler to the worker.

    It is an ``int``, so it can index any dataset, and it stays a SampleIndex when ``ConcatDataset`` subtracts an offset.

    Example:
        >>> SampleIndex(7, epoch=3) - 2
        SampleIndex(5, epoch=3, occurrence=0, view=0)
    """

    epoch: int
    occurrence: int = 0
    view: int = 0

    def __new__(cls, index: int, epoch: int, occurrence: int = 0, view: int = 0) -> Self:
        """Make the index; the SampleKey checks the ranges later."""
        if type(index) is not int:
            index = checked_int("index", index, -(2**64), 2**64, _WAY_OUT["index"])
        self = int.__new__(cls, index)
        self.epoch = epoch
        # Nearly every index has neither: then the zeros of the class serve.
        if occurrence or view:
            self.occurrence, self.view = occurrence, view
        return self

    def __sub__(self, other: int) -> SampleIndex:
        return SampleIndex(int(self) - other, self.epoch, self.occurrence, self.view)

    def __add__(self, other: int) -> SampleIndex:
        return SampleIndex(int(self) + other, self.epoch, self.occurrence, self.view)

    __radd__ = __add__

    def __reduce__(self) -> tuple[type, tuple[int, int, int, int]]:
        return SampleIndex, (int(self), self.epoch, self.occurrence, self.view)

    def __repr__(self) -> str:
        return f"SampleIndex({int(self)}, epoch={self.epoch}, occurrence={self.occurrence}, view={self.view})"


def op_of(name: str) -> int:
    """Return the stream number of a transform's name: 32 bits of its BLAKE2b digest, little-endian.

    Example:
        >>> hex(op_of("RandomCrop"))
        '0xa483f57b'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"name must be a string, got {name!r} of type {type(name).__name__}: pass the name of the stream"
        )
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest(), "little")


def check_name(name: Any) -> str:
    """Return the name of a stream, or raise an error if it is not one that a user may give."""
    if not isinstance(name, str):
        raise TypeError(
            f"name must be a string, got {name!r} of type {type(name).__name__}: pass name='...' or leave it out"
        )
    if not name or "#" in name or "@" in name or name.startswith("seedsafe/"):
        raise ValueError(
            f"name must be a non-empty string without '#', '@' and the prefix 'seedsafe/', got {name!r}: "
            "pass another name, the library uses those"
        )
    return name


def record_index(record_id: str | bytes) -> int:
    """Return the index of a record that has an id but no position: 64 bits of the id's BLAKE2b digest.

    Two ids may collide: with 10**9 ids the probability is about 2.7 %. A string is hashed as UTF-8, and a file name that
    is not UTF-8 as its bytes on disk.

    Args:
        record_id: the record's id, text or bytes.

    Example:
        >>> record_index("n01440764/n01440764_10026.JPEG") == record_index(b"n01440764/n01440764_10026.JPEG")
        True
    """
    if isinstance(record_id, str):
        try:
            record_id = record_id.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ValueError(
                f"record_id must be text that UTF-8 can encode, got {record_id!r}: pass bytes"
            ) from None
    if not isinstance(record_id, bytes):
        raise TypeError(
            f"record_id must be str or bytes, got {record_id!r} of type {type(record_id).__name__}: "
            "encode the id, for instance str(id)"
        )
    return int.from_bytes(hashlib.blake2b(record_id, digest_size=8).digest(), "little")


# Looked up once: `address` and `philox` run for every sample.
_tuple = tuple.__new__
_uint64 = np.uint64


def address(key: SampleKey, op: int = 0) -> Address:
    """Return the address at which the stream `op` of a key begins, before its first block."""
    moment = key.epoch << 32 | key.occurrence << 16 | key.view
    stream = op << 32 | key.call << 16
    # In a third of the time of Address(...), for every sample: benchmarks/keys.py.
    return _tuple(Address, (key.seed & _WORD, key.seed >> 64, 0, moment, stream, key.index))


class _KeyWords:
    """A seed sequence of the two key words; without it NumPy would draw entropy from the operating system needlessly."""

    __slots__ = ("words",)

    def __init__(self, words: Address) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Address:
        # Philox uses the first two, and reads a tuple faster than an array: benchmarks/keys.py
        return self.words


ISeedSequence.register(_KeyWords)


def philox(start: Address) -> Philox:
    """Return a new Philox at an address."""
    return Philox(_KeyWords(start), counter=np.array(start[2:], _uint64))  # type: ignore[arg-type]  # an ISeedSequence
