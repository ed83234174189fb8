"""A pipeline at work: every transform bound to its stream, run on a sample or traced without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from seedsafe.ambient import claim
from seedsafe.checks import probability
from seedsafe.draws import Draws, PooledDraws, pooled
from seedsafe.info import TARGETS, Array, Info
from seedsafe.key import SampleKey, op_of

__all__ = [
    "Applied",
    "Infos",
    "Leaf",
    "Namer",
    "Node",
    "Stream",
    "Traced",
    "checked_key",
    "run",
    "stream_name",
    "trace",
    "turn",
]


class Stream(NamedTuple):
    """The name of a transform in a pipeline, and the number of its stream.

    Example:
        >>> import seedsafe as ss
        >>> ss.Compose([ss.RandomCrop(2)]).streams()
        (Stream(name='RandomCrop', op=2760111483),)
    """

    name: str
    op: int


class Applied(NamedTuple):
    """What a transform drew for one sample: its parameters, or None where it did not fire.

    Example:
        >>> import seedsafe as ss
        >>> ss.Compose([ss.HorizontalFlip(p=0)]).params(SampleKey(42, 0, 0), (4, 4))
        [Applied(name='HorizontalFlip', params=None)]
    """

    name: str
    params: Any


Infos = Info | dict[str, Info]
"""The description of a sample: of an array, or of a dict's targets."""

Traced = list[Applied]


class Node(Protocol):
    """A transform or a container, bound to its stream."""

    @property
    def ops(self) -> tuple[int, ...]:
        """The streams that a call of it can draw from."""
        ...

    def run(self, sample: Any, draws: PooledDraws) -> Any:
        """Return the sample, transformed; a dict is changed in place."""

    def trace(self, infos: Infos, draws: PooledDraws, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        ...

    def leaves(self) -> Iterator[Leaf]:
        """Yield the transforms below this node, itself included."""
        ...


class Namer:
    """Gives each transform of a tree its name and its stream numbers.

    A transform is named by its ``name=``, else by its class; further unnamed ones of that class are ``Class#1``,
    ``Class#2`` in the order in which they stand in the whole tree. Inside a container that may apply a member
    several times, the k-th further application is ``name@k``.
    """

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.repeats = 1
        self._classes: Counter[str] = Counter()
        self._owners: dict[int, str] = {0: "the root stream"}

    def claim(self, name: str | None, kind: str) -> tuple[str, tuple[int, ...]]:
        """Return a transform's name, and its op for the first, second … application in one call.

        Raises:
            TypeError: the name is not a string.
            ValueError: the name is empty, reserved or taken, or its op is another name's.
        """
        if name is None:
            ordinal = self._classes[kind]
            self._classes[kind] += 1
            name = f"{kind}#{ordinal}" if ordinal else kind
        else:
            _check_name(name)
        return name, tuple(self._claim_op(stream_name(name, k)) for k in range(self.repeats))

    def _claim_op(self, name: str) -> int:
        op = op_of(name)
        owner = self._owners.setdefault(op, name)
        if owner != name:
            raise ValueError(f"{name!r} has the same stream as {owner!r}: give the transform another name=")
        if any(stream.op == op for stream in self.streams):
            raise ValueError(f"two transforms are named {name!r}: give one of them another name=")
        self.streams.append(Stream(name, op))
        return op


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {name!r} of type {type(name).__name__}")
    if not name or "#" in name or "@" in name or name.startswith("seedsafe/"):
        raise ValueError(
            f"name must be a non-empty string without '#', '@' and the prefix 'seedsafe/', got {name!r}: "
            "these are the library's own"
        )


class Leaf:
    """One transform, bound to its stream; `draw` is None if it has no parameters."""

    __slots__ = (
        "_appliers",
        "_apply_bare",
        "_draw",
        "_draw_bare",
        "_fresh",
        "_keyed",
        "_limit",
        "_op",
        "_pooled",
        "_primary",
        "_streams",
        "name",
        "ops",
        "transform",
    )

    def __init__(
        self, transform: Any, name: str, ops: tuple[int, ...], draw: Callable[[Draws, Info], Any] | None
    ) -> None:
        self.transform = transform
        self.name = name
        self._draw = draw
        self._streams = ops
        self._op = ops[0] if len(ops) == 1 else None
        p = probability(getattr(transform, "p", 1.0))
        self._limit = p * 2.0**53
        # What always fires and draws no word needs no stream, and going there is a good part of a small call.
        self._keyed = p < 1.0 or self._op is None or (draw is not None and transform.random)
        self.ops = ops if self._keyed else ()
        self._primary: tuple[str, ...] = transform.primary
        # What a user's transform keeps of its generator must stay valid, so only ours share the pooled one.
        self._fresh = not str(type(transform).draw.__module__).startswith("seedsafe.")
        self._pooled = self._keyed and not self._fresh and self._op is not None
        self._draw_bare = None if transform.blind else draw
        self._appliers = _appliers(transform)
        self._apply_bare = next(self._appliers[t] for t in self._primary if t in self._appliers)

    def run(self, sample: Any, draws: PooledDraws) -> Any:
        """Return the sample, transformed; a dict is changed in place."""
        if type(sample) is dict:
            params = self._params(sample[self._choose(sample)], draws)
            return sample if params is None else self.apply(sample, params)
        if self._pooled:  # `_params` without its calls
            if not draws.begin(self._op, self._limit):  # type: ignore[arg-type]  # not None: it is pooled
                return sample
            params = (
                () if self._draw_bare is None else self._draw_bare(draws, Info(sample.shape, sample.dtype))
            )
        elif self._draw_bare is None and not self._keyed:
            params = ()
        else:
            params = self._params(sample, draws)
            if params is None:
                return sample
        made = self._apply_bare(sample, params)
        return made if type(made) is np.ndarray else self._checked(made)

    def apply(self, sample: Any, params: Any) -> Any:
        """Return the sample with drawn parameters applied; a dict is changed in place."""
        if type(sample) is not dict:
            return self._checked(self._apply_bare(sample, params))
        chosen = self._choose(sample)
        for target, apply in self._appliers.items():
            if target in sample and (target == chosen or target not in self._primary):
                sample[target] = self._checked(apply(sample[target], params))
        return sample

    def trace(self, infos: Infos, draws: PooledDraws, record: Traced) -> Infos:
        """Append what is drawn to the record, and return the description of the result."""
        target = self._choose(infos) if isinstance(infos, dict) else ""
        info = infos[target] if isinstance(infos, dict) else infos
        times = draws.counts.get(self.name, 0)
        params = self._params(info, draws)
        record.append(Applied(stream_name(self.name, times), params))
        if params is None:
            return infos
        made: Info = self.transform.out_info(info, params)
        return {**infos, target: made} if isinstance(infos, dict) else made

    def joined(self, following: Leaf) -> Leaf | None:
        """Return one leaf for this one and the following, or None; only of such as need no stream."""
        if self._keyed or following._keyed:
            return None
        both = self.transform.joined(following.transform)
        return None if both is None else Leaf(both, self.name, self._streams, None)

    def leaves(self) -> Iterator[Leaf]:
        """Yield itself."""
        yield self

    def _checked(self, array: Any) -> Any:
        if isinstance(array, np.ndarray):
            return array
        raise TypeError(f"apply of {self.name} returned {type(array).__name__}: return a NumPy array")

    def _choose(self, sample: Mapping[str, Any]) -> str:
        for target in self._primary:
            if target in sample:
                return target
        raise ValueError(
            f"{self.name} needs {' or '.join(map(repr, self._primary))} in the sample, got {sorted(sample)}: "
            "name the sample's parts with targets="
        )

    def _params(self, given: Array | Info, draws: PooledDraws) -> Any:
        rng: Draws = draws
        if self._keyed:
            op = turn(draws, self.name, self._streams) if self._op is None else self._op
            if not draws.begin(op, self._limit):
                return None
            if self._fresh:
                rng = Draws(draws.address)
                rng.word()
        if self._draw is None:
            return ()
        params = self._draw(rng, given if isinstance(given, Info) else Info(given.shape, given.dtype))
        if params is None:
            raise TypeError(f"draw of {self.name} returned None: return its parameters, () if there are none")
        return params


def turn(draws: PooledDraws, name: str, ops: tuple[int, ...]) -> int:
    """Return the stream of a member's first, second … application since the sample was entered."""
    times = draws.counts.get(name, 0)
    draws.counts[name] = times + 1
    return ops[times]


def stream_name(name: str, times: int) -> str:
    """Return the name of a member's stream when it has been applied some times before."""
    return f"{name}@{times}" if times else name


def _appliers(transform: Any) -> dict[str, Callable[[Array, Any], Array]]:
    found = {target: getattr(transform, f"apply_{target}", None) for target in TARGETS}
    methods = {target: method for target, method in found.items() if method is not None}
    if not any(target in methods for target in transform.primary):
        wanted = " or ".join(f"apply_{target}(self, {target}, params)" for target in transform.primary)
        raise TypeError(f"{type(transform).__name__} changes nothing: define {wanted}")
    if type(transform).__module__.startswith("seedsafe."):
        return methods
    return {target: _on_a_copy(method) for target, method in methods.items()}


def _on_a_copy(apply: Callable[[Array, Any], Array]) -> Callable[[Array, Any], Array]:
    """Return a user's method that may change what it is given: it could be the caller's memory, which is never changed."""
    return lambda array, params: apply(array.copy(), params)


def checked_key(key: Any) -> SampleKey:
    """Return the key, or raise an error that says how to make one."""
    if isinstance(key, SampleKey):
        return key
    raise TypeError(f"key must be a SampleKey, got {key!r}: pass key=SampleKey(seed, epoch, index)")


def run(node: Node, sample: Any, key: SampleKey | None) -> Any:
    """Return a new sample: the given one, never changed, through the pipeline at a key, or at the one of this read.

    Raises:
        TypeError: no key is given outside of a read, or the sample is not an array or a dict of arrays.
        ValueError: the sample cannot be what its target's name says.
    """
    if key is None:
        with claim(node.ops) as claimed:
            return run(node, sample, claimed)
    if type(key) is not SampleKey:
        key = checked_key(key)
    draws = pooled()
    if draws.busy:  # a transform runs a pipeline of its own
        draws = PooledDraws()
    draws.busy = True
    try:
        draws.enter(key)
        if type(sample) is np.ndarray:
            _check_array("sample", sample)
            made = node.run(sample, draws)
            return _copy(made) if made is sample else _own(made)
        if isinstance(sample, dict):
            parts = dict(sample)
            for target in TARGETS:
                if target in parts:
                    _check_target(target, parts)
            parts = node.run(parts, draws)
            given = {id(part) for part in sample.values()}
            return {k: _returned(v, given) if k in TARGETS else v for k, v in parts.items()}
        _check_array("sample", sample)
        return _copy(node.run(np.asarray(sample), draws))
    finally:
        draws.busy = False


def trace(node: Node, key: SampleKey, infos: Infos) -> Traced:
    """Return what the pipeline draws for a key and a sample of this description, in the order of application."""
    draws = PooledDraws()
    draws.enter(checked_key(key))
    record: Traced = []
    node.trace(infos, draws, record)
    return record


def _returned(array: Array, given: set[int]) -> Array:
    return _copy(array) if id(array) in given else _own(array)


def _own(array: Array) -> Array:
    """Return an array that shares memory with no other, C-contiguous and writable; the same one if it is so."""
    return array if array.base is None and array.flags.carray else _copy(array)


def _copy(array: Array) -> Array:
    return array.copy()


def _check_array(name: str, array: Any) -> None:
    if type(array) is not np.ndarray and not _is_plain(array):
        raise TypeError(
            f"{name} must be a NumPy array, got {type(array).__module__}.{type(array).__qualname__}: "
            "convert it, an image to (H, W, C), with numpy.asarray, or name the parts of a tuple with targets="
        )
    dtype = array.dtype
    if dtype.kind not in "uifb" or not dtype.isnative or dtype.itemsize > 8:
        raise TypeError(
            f"{name} must hold numbers of up to 8 bytes in native byte order, got dtype {dtype}: convert it with astype"
        )
    if not array.size and name not in ("keypoints", "boxes"):
        raise ValueError(f"{name} must not be empty, got the shape {array.shape}: leave such samples out")


def _is_plain(array: Any) -> bool:
    return isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray)


def _check_target(target: str, parts: dict[str, Any]) -> None:
    array = parts[target]
    _check_array(target, array)
    columns = {"keypoints": 2, "boxes": 4}.get(target)
    if columns and (array.ndim != 2 or array.shape[1] < columns):
        raise ValueError(
            f"{target} must have the shape (N, {columns} or more), got {array.shape}: reshape it"
        )
    if columns and array.dtype.kind not in "if":
        raise TypeError(
            f"{target} must be floats or signed integers, got dtype {array.dtype}: convert it with astype"
        )
    if target == "mask" and "image" in parts and array.shape[:2] != parts["image"].shape[:2]:
        raise ValueError(
            f"mask and image must have the same height and width, got {array.shape} and {parts['image'].shape}"
        )
