"""Compare results bit for bit, by digest."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.info import is_masked

__all__ = ["Content", "as_array", "content", "is_tensor"]

_DEEPEST = 200


class Content(NamedTuple):
    """A digest of a result: equal for two results of equal type, structure and bits."""

    digest: bytes
    unseen: str | None
    """The type of the first part that could not be read, so that only its type is in the digest; None if all could."""


def is_tensor(thing: Any) -> bool:
    """Return whether this is a torch tensor."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and isinstance(thing, kind)


def as_array(result: Any) -> Any:
    """Return an array, a tensor or a picture as a NumPy array, or None for anything else."""
    if isinstance(result, np.ndarray):
        return result
    if is_tensor(result):
        return result.detach().cpu().numpy()
    if not isinstance(result, type) and (
        hasattr(result, "__array__") or hasattr(result, "__array_interface__")
    ):
        return np.asarray(result)
    return None


def content(result: Any) -> Content:
    """Return a digest of a result: of arrays by their bytes, of objects by their pickled parts.

    Example:
        >>> content({"x": np.array([np.nan])}) == content({"x": np.array([np.nan])})
        True
        >>> content([1, 2.0]) == content([1, 2]), content([lambda: 1]).unseen
        (False, 'function')
    """
    walk = _Walk()
    walk.add(result)
    return Content(walk.hash.digest(), walk.unseen)


def _bytes_of(tensor: Any) -> Any:
    """Return a tensor's bytes with its shape and dtype, which NumPy may not have."""
    torch: Any = sys.modules["torch"]
    here = tensor.detach().cpu()
    dense = here.to_dense() if here.layout is not torch.strided else here
    plain = (dense.int_repr() if dense.is_quantized else dense).resolve_conj().resolve_neg().contiguous()
    raw = plain.reshape(-1).view(torch.uint8).numpy().tobytes()
    return np.array([repr((tuple(tensor.shape), tensor.dtype, tensor.layout)).encode(), raw + b"."])


class _Walk:
    """Adds the parts of a result to a hash."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.unseen: str | None = None
        self._inside: dict[int, int] = {}

    def add(self, thing: Any) -> None:
        kind = type(thing)
        self._text(f"{kind.__module__}.{kind.__qualname__}")
        if thing is None or kind in (bool, int, float, complex, str):
            self._text(thing.hex() if isinstance(thing, float) else repr(thing))
        elif kind in (bytes, bytearray):
            self._bytes(thing)
        elif isinstance(thing, type | types.BuiltinFunctionType | np.ufunc):
            self._text(getattr(thing, "__qualname__", "") or repr(thing))
        elif id(thing) in self._inside:
            self._text(f"the part that {self._inside[id(thing)]} are around")  # a circular reference
        elif len(self._inside) >= _DEEPEST:
            self._miss(kind)
        else:
            self._inside[id(thing)] = len(self._inside)
            try:
                self._add_parts(thing)
            finally:
                del self._inside[id(thing)]

    def _add_parts(self, thing: Any) -> None:
        if isinstance(thing, list | tuple):
            self._each(thing)
            if type(thing) not in (list, tuple):
                self.add(getattr(thing, "__dict__", None))
        elif isinstance(thing, set | frozenset):
            self._text(" ".join(sorted(self._digest(part) for part in thing)))
        elif isinstance(thing, Mapping):
            self._each(part for name in thing for part in (name, thing[name]))
        elif not self._add_array(thing) and not self._add_pickle(thing):
            self._miss(type(thing))

    def _each(self, parts: Iterable[Any]) -> None:
        number = 0
        for part in parts:
            self.add(part)
            number += 1
        self._text(f"{number} parts")

    def _digest(self, thing: Any) -> str:
        own = content(thing)
        self.unseen = self.unseen or own.unseen
        return own.digest.hex()

    def _add_array(self, thing: Any) -> bool:
        try:
            array = _bytes_of(thing) if is_tensor(thing) else as_array(thing)
        except Exception:  # noqa: BLE001  # the user's conversion
            if not is_tensor(thing):
                return False
            self._miss(type(thing))  # pickle would write a pointer
            return True
        if array is None or array.dtype.hasobject or is_masked(array):
            return False
        self._text(f"{array.shape} {array.dtype.str} {array.dtype}")
        self._bytes(array.tobytes())
        return True

    def _add_pickle(self, thing: Any) -> bool:
        """Add what pickle would write: the constructor, its arguments, the state and the entries."""
        try:
            recipe = thing.__reduce_ex__(4)
        except Exception:  # noqa: BLE001  # the user's pickling
            return False
        if isinstance(recipe, str):
            self._text(recipe)
            return True
        function, arguments, *more = recipe
        self._text(getattr(function, "__qualname__", repr(type(function))))
        self.add(arguments)
        for part in more:
            self._each(part) if hasattr(part, "__next__") else self.add(part)
        return True

    def _miss(self, kind: type) -> None:
        self.unseen = self.unseen or kind.__qualname__

    def _text(self, text: str) -> None:
        self._bytes(text.encode("utf-8", "surrogatepass"))

    def _bytes(self, data: Any) -> None:
        self.hash.update(len(data).to_bytes(8, "little"))
        self.hash.update(data)
