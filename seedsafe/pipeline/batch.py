"""A pipeline on many equal images at once.

The bytes are the same as one by one. A transform of the library takes part with two methods besides its ``draw`` and
``apply_image``. A transform without them, or one that returns None, runs image by image in between: streams are
independent, so this changes nothing.

``_draw_many(draws, info)``
    returns the parameters of the images for which it fires, a tuple of arrays or lists with one entry for each image, from a
    ManyDraws after its first word and the info of one image. A transform that draws no word does not need it: the result
    of its ``draw`` holds for all images.
``_apply_many(images, params)``
    returns images, (N, …), transformed with their parameters, as a new array or a view of its argument, which it does not
    change. For a transform declared with ``fills`` it takes a third argument: memory for the result, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import FLOAT32, UINT8, Array, Info, check_last
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.keys.many import ManyDraws, ManyKeys
from seedsafe.pipeline.blame import blame
from seedsafe.pipeline.leaf import Leaf
from seedsafe.pipeline.node import Chain, run_each
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.rules import Rules

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Allocate", "Decision", "Many", "UnevenError", "depth", "stacked"]

_CHUNK: Final = 400_000
"""Bytes of images that run together: images between two steps stay in the CPU's caches. See benchmarks/batches.py."""

_PAYS: Final = 24
"""Fewer images are faster one by one: benchmarks/batches.py."""

_LARGE: Final = 112 * 112
"""Images of more pixels are faster one by one: benchmarks/batches.py."""


class Decision(NamedTuple):
    """What a transform decides for many samples.

    Args:
        op: its stream.
        info: the description of each image before it.
        fires: for which samples it fires, bool (N,); None if it always fires.
        params: its parameters, also where it does not fire: what its ``_draw_many`` returns, or a list of what ``draw`` returns for
            each sample; () if it draws no word.
    """

    op: int
    info: Info
    fires: npt.NDArray[np.bool_] | None
    params: Any


Allocate = Callable[[tuple[int, ...], Any], Array]
"""Returns memory for all results, for a shape and a dtype."""


class UnevenError(Exception):
    """The images of a batch do not stay equal in shape and dtype."""


class Many:
    """A pipeline for many images at once.

    Args:
        root: the pipeline's nodes.
        rules: the pipeline's rules.
    """

    __slots__ = ("_leaves", "_ops", "_rules", "_some", "_steps", "_uneven", "is_known")

    def __init__(self, root: Chain, rules: Rules) -> None:
        leaves = [step for step in root.steps if isinstance(step, Leaf)]
        self._leaves = list(root.leaves())
        self._rules = rules
        marks = [marks_of(type(leaf.transform)) for leaf in leaves]
        self.is_known = len(leaves) == len(root.steps) and all(
            mark.own and mark.fresh and leaf.is_plain for mark, leaf in zip(marks, leaves, strict=True)
        )
        """Whether every transform is the library's own, and depends only on its image and key."""
        self._steps = list(_steps(leaves)) if self.is_known else []
        self._some = any(isinstance(step, _AtOnce) for step in self._steps)
        self._uneven: set[tuple[Any, Any]] = set()
        """The shapes and dtypes of images whose results differ, so the next ones will too."""
        self._ops = [step.op for step in self._steps if isinstance(step, _AtOnce) and step.op is not None]

    def pays(self, count: int) -> bool:
        """Return whether `count` small images are faster at once."""
        return count >= _PAYS and self._some

    def takes(self, images: Any) -> bool:
        """Return whether images can run at once: they are small, uint8 or float32, and equal in shape and dtype."""
        first = images[0]
        if not (self._steps and type(first) is ndarray and first.dtype in (UINT8, FLOAT32) and first.size):
            return False
        if not (first.ndim == 2 or (first.ndim == 3 and first.shape[2] <= 4)):
            return False
        if first.shape[0] * first.shape[1] > _LARGE or (first.shape, first.dtype) in self._uneven:
            return False
        if type(images) is ndarray:
            return True
        return set(map(type, images)) == {ndarray} and {(image.shape, image.dtype) for image in images} == {
            (first.shape, first.dtype)
        }

    def at_once(
        self, images: Sequence[Array] | Array, keys: Callable[[], ManyKeys], allocate: Allocate
    ) -> Array | None:
        """Return the results for images at their keys, or None if the images must run one by one.

        They must where that is as fast, and where one of them fails: run alone, it raises an error that names it.

        Args:
            images: an array or a list of images.
            keys: returns the images' keys.
            allocate: returns memory for the result.
        """
        if not (self.pays(len(images)) and self.takes(images)):
            return None
        try:
            return self.run(images, keys(), allocate)
        except UnevenError:
            self._uneven.add((images[0].shape, images[0].dtype))
        except Exception:  # noqa: BLE001, S110 - one by one, the image raises it again, and is named
            pass
        return None

    def run(self, images: Sequence[Array] | Array, keys: ManyKeys, allocate: Allocate) -> Array:
        """Run the pipeline on images at their keys, and return the results, (N, …).

        Args:
            images: an array or a list of images of one shape and dtype.
            keys: the images' keys.
            allocate: returns memory for the result.

        Raises:
            Exception: an image fails, or the results differ in shape or dtype.
        """
        shape, count = images[0].shape, len(images)
        if len(shape) == 3 and shape[2] > self._rules.bands:
            check_last(shape)
        words = iter(keys.blocks(self._ops) if self._ops else ())
        draws: list[_Draw] = []
        whole: Array | None = None
        # As few chunks as fit into _CHUNK, of equal size: a small last one would cost as many calls as a full one.
        size = -(-count // -(-count * images[0].nbytes // _CHUNK))
        for first in range(0, count, size):
            rows = slice(first, min(first + size, count))
            result = _stack(images[rows])
            out: Array | None = None
            for number, step in enumerate(self._steps):
                # The first chunk draws for all: only what comes out of a step tells what the next one gets.
                if number == len(draws):
                    info = Info(result.shape[1:], result.dtype)
                    draws.append(step.draw(keys, words, info))
                    if step is self._steps[-1] and step.fills:
                        info = step.out_info(info)
                        whole = allocate((count, *info.shape), info.dtype)
                if step is self._steps[-1] and whole is not None:
                    out = whole[rows]
                result = step.run(result, draws[number], rows, out)
            if whole is None:
                whole = allocate((count, *result.shape[1:]), result.dtype)
            if result is not out:
                target = whole[rows]
                if (result.shape, result.dtype) != (target.shape, target.dtype):
                    raise UnevenError
                target[...] = result
        assert whole is not None
        return whole

    def decide(self, keys: ManyKeys, info: Info) -> list[Decision]:
        """Return what each transform decides for images at their keys: the same as one by one. Each must be the library's own.

        Args:
            keys: the images' keys, at least one.
            info: the description of each image.
        """
        ops = [leaf.ops[0] for leaf in self._leaves if leaf.ops]
        words = iter(keys.blocks(ops) if ops else ())
        result = []
        for leaf in self._leaves:
            try:
                decision = _decision(leaf, keys, words, info)
                info = leaf.transform.out_info(info, decision.params)
            except Exception as error:
                blame(error, leaf.name)
                raise
            result.append(decision)
        return result


def _decision(leaf: Leaf, keys: ManyKeys, words: Iterator[Any], info: Info) -> Decision:
    """Return what a transform decides, with the next words if it has a stream."""
    op, transform = leaf.streams[0], leaf.transform
    if not leaf.ops:
        return Decision(op, info, None, ())
    draws = ManyDraws(keys, op, next(words))
    fires = draws.below(leaf.limit)
    params: Any = ()
    if leaf.draws:
        draw_many = getattr(transform, "_draw_many", None)
        params = None if draw_many is None else draw_many(draws, info)
        if params is None:
            params = [_draw_one(transform, address, info) for address in keys.addresses(op)]
    return Decision(op, info, None if leaf.limit >= 2**64 else fires, params)


def _draw_one(transform: Any, address: Address, info: Info) -> Any:
    """Return a transform's parameters from the stream at an address, after its first word."""
    rng = Draws(address)
    rng.word()
    return transform.draw(rng, info)


def stacked(results: Sequence[Array]) -> Array:
    """Return the augmented images of a batch as one array.

    Raises:
        ValueError: they differ in shape or dtype.
    """
    kinds = sorted({(result.shape, str(result.dtype)) for result in results})
    if len(kinds) > 1:
        raise ValueError(
            f"the augmented images of a batch must have one shape and dtype, got {kinds}: end the pipeline with one size, "
            "for instance RandomCrop(size, pad_if_needed=True)"
        )
    return np.stack(results)


def _stack(images: Sequence[Array] | Array) -> Array:
    """Return images as one C-contiguous array: a read-only view if they are one already."""
    if type(images) is not ndarray or not images.flags.carray:
        return np.array(images, order="C")
    whole = images[:]
    whole.flags.writeable = False
    return whole


def _steps(leaves: Iterable[Leaf]) -> Iterator[_AtOnce | _Each]:
    """Yield the steps of leaves: one for neighbours that run image by image."""
    for is_at_once, neighbours in groupby(leaves, _is_at_once):
        if is_at_once:
            yield from map(_AtOnce, neighbours)
        else:
            yield _Each(neighbours)


def _is_at_once(leaf: Leaf) -> bool:
    """Return whether a transform has methods for many images that no subclass overrides with one for a single image."""
    kind = type(leaf.transform)
    draws = not leaf.draws or depth(kind, "_draw_many") <= depth(kind, "draw")
    return draws and depth(kind, "_apply_many") <= depth(kind, "apply_image")


def depth(kind: type, name: str) -> float:
    """Return the position of the first class in the MRO that has a method; infinity if there is none."""
    return next((depth for depth, base in enumerate(kind.__mro__) if name in vars(base)), math.inf)


class _Draw(NamedTuple):
    """The parameters that a step has drawn for all images of a batch."""

    keys: ManyKeys
    fires: npt.NDArray[np.bool_] | None = None
    """The images for which it fires; None means all."""
    params: Any = None
    """A tuple of arrays with an entry for each image for which it fires; None if it runs image by image."""
    shared: bool = False
    """Whether the parameters hold for all images."""

    def of(self, first: int, count: int) -> Any:
        """Return the parameters of `count` images; both numbers count only the images for which it fires."""
        if self.shared:
            return self.params
        result = [values[first : first + count] for values in self.params]
        return type(self.params)(*result) if hasattr(self.params, "_fields") else tuple(result)


class _Each:
    """Transforms that run image by image."""

    op: Final = None
    fills: Final = False

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._chain = Chain(leaves)

    def out_info(self, info: Info) -> Info:
        raise NotImplementedError

    def draw(self, keys: ManyKeys, words: Iterator[Any], info: Info) -> _Draw:
        return _Draw(keys)

    def run(self, images: Array, draw: _Draw, rows: slice, out: Array | None) -> Array:
        result = run_each(self._chain, images, draw.keys[rows])
        first = result[0]
        if {(image.shape, image.dtype) for image in result} != {(first.shape, first.dtype)}:
            raise UnevenError
        return np.array(result)


class _AtOnce:
    """A transform with methods for many images."""

    def __init__(self, leaf: Leaf) -> None:
        transform = leaf.transform
        self._leaf = leaf
        self._apply = transform._apply_many
        self._draw = getattr(transform, "_draw_many", None)
        self.op = leaf.ops[0] if leaf.ops else None
        self.fills = marks_of(type(transform)).fills and self.op is None
        self._alone = _Each([leaf])

    def out_info(self, info: Info) -> Info:
        result: Info = self._leaf.transform.out_info(info, ())
        return result

    def draw(self, keys: ManyKeys, words: Iterator[Any], info: Info) -> _Draw:
        fires = draws = None
        if self.op is not None:
            draws = ManyDraws(keys, self.op, next(words))
            fires = draws.below(self._leaf.limit)
            if fires.all():
                fires = None
        if self._draw is None:
            return _Draw(keys, fires, self._leaf.transform.draw(None, info), shared=True)
        if draws is not None and fires is not None:
            draws = draws[np.flatnonzero(fires)]
        return _Draw(keys, fires, self._draw(draws, info))

    def run(self, images: Array, draw: _Draw, rows: slice, out: Array | None) -> Array:
        if draw.params is None:
            return self._alone.run(images, draw, rows, out)
        if draw.fires is None:
            result = self._apply_to(images, draw.of(rows.start, len(images)), out)
            return self._alone.run(images, draw, rows, out) if result is None else result
        chosen = np.flatnonzero(draw.fires[rows])
        if not len(chosen):
            return images
        some = images[chosen]
        before = int(np.count_nonzero(draw.fires[: rows.start]))
        result = self._apply_to(some, draw.of(before, len(chosen)), None)
        if result is None:
            return self._alone.run(images, draw, rows, out)
        if (result.shape, result.dtype) != (some.shape, some.dtype):
            raise UnevenError
        if not images.flags.writeable:  # the caller's memory
            images = images.copy()
        images[chosen] = result
        return images

    def _apply_to(self, images: Array, params: Any, out: Array | None) -> Array | None:
        result: Array | None = self._apply(images, params, out) if self.fills else self._apply(images, params)
        return result
