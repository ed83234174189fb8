"""convert: torchvision's Compose as a pipeline of seedsafe's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import permutations
from typing import Any, Final, NamedTuple

import torch

import seedsafe as ss
from seedsafe_torch.conversion.pixels import ThreeChannels
from seedsafe_torch.conversion.report import Line, Report
from seedsafe_torch.conversion.table import BRIDGED, JOINT, ROWS, Row, UnlikeError
from seedsafe_torch.conversion.theirs import EITHER, PICTURE, TENSOR, bridged, name_of

__all__ = ["Converted", "convert", "draws_places"]


class Converted(ss.Compose):
    """A Compose that `convert` has made, with the report of how."""

    report: Report

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(_converted, **self.options()), (self.transforms, self.report)

    def to_dict(self) -> dict[str, Any]:
        """Return the pipeline as plain data, as a Compose gives it."""
        return ss.Compose(self.transforms, **self.options()).to_dict()


def _converted(transforms: Iterable[Any], report: Report, **options: Any) -> Converted:
    result = Converted(transforms, **options)
    result.report = report
    return result


def convert(transform: Any) -> Converted:
    """Return torchvision's transforms as a pipeline of seedsafe's, with the same distribution of samples.

    Each transform that is known becomes one of seedsafe's, which does to an image what torchvision does to a PIL image. All
    others (functions, classes of your own, arguments that are not known) stay as they are, in place: they are given the PIL
    image or tensor that they expect, and what they draw from `random`, ``numpy.random`` or torch follows the key. torchvision
    itself is not imported. The object is not changed, and later changes to it have no effect.

    The pipeline takes what a dataset returns without its transform, PIL images or arrays (H, W) or (H, W, C), inside an
    `AugmentedDataset`; ``AugmentedDataset(dataset, seed=…, convert=True)`` takes a dataset with its transform. Where torchvision
    returns a tensor, it returns an array (C, H, W).

    Args:
        transform: a Compose, of ``torchvision.transforms`` or its ``v2``, any other transform of these, a list of such, or a
            ``torch.nn.Sequential``.

    Returns:
        A Compose. ``print(pipeline.report)`` shows what became of each transform: converted, or bridged and why, and what differs
        from torchvision.

    Raises:
        TypeError: it is not a transform.
        ValueError: it holds a transform of several parts of a sample, or of batches.

    Example:
        >>> def darker(picture):
        ...     return picture.point(lambda value: value // 2)
        >>> pipeline = convert([darker])
        >>> print(pipeline.report)
        0 of 1 transform converted, 1 bridged: keyed, and called as before
          transforms[0]  darker: bridged, since it is your own
        >>> import numpy as np
        >>> pipeline(np.full((1, 2), 200, np.uint8), key=ss.SampleKey(42, 0, 0)).tolist()
        [[100, 100]]
    """
    if (
        not isinstance(transform, type)
        and hasattr(transform, "__getitem__")
        and hasattr(transform, "transform")
    ):
        raise TypeError(
            f"transform must be the transform of a dataset, got the dataset {type(transform).__qualname__}: pass "
            "AugmentedDataset(dataset, seed=..., convert=True), or its .transform"
        )
    if not (callable(transform) or _is_list(transform)) or isinstance(transform, type | str):
        raise TypeError(
            f"transform must be a Compose or another transform of torchvision, or a list of them, got {transform!r}: pass the object "
            "that a dataset gets as transform="
        )
    if isinstance(transform, ss.Compose | ss.Transform):
        raise TypeError(f"transform must be torchvision's, got {transform!r}: it is seedsafe's already")
    items = list(_flat(transform))
    for item in items:
        if not callable(item.theirs):
            raise TypeError(
                f"{item.place} must be callable, got {item.theirs!r} of type {type(item.theirs).__name__}: pass transforms"
            )
        _refuse_joint(item)
    walk = _Walk(_form_of(items))
    walk.run(items)
    return _converted(walk.finished(), Report(tuple(walk.lines)))


class _Item(NamedTuple):
    """A transform, and where it stands."""

    place: str
    theirs: Any


_NEEDS: Final = {
    **dict.fromkeys(("ToTensor", "PILToTensor"), PICTURE),
    **dict.fromkeys(("ToImage", "ToPILImage"), EITHER),
    **dict.fromkeys(("Normalize", "ConvertImageDtype", "ConvertDtype", "LinearTransformation"), TENSOR),
}
"""Transforms by which one sees what they are given."""

_SEVERAL: Final = ("FiveCrop", "TenCrop")


def _is_torchvision(thing: Any) -> bool:
    return (type(thing).__module__ or "").startswith("torchvision.transforms")


def _kind(thing: Any) -> str:
    """Return the name of one of torchvision's classes; empty for all else."""
    return type(thing).__name__ if _is_torchvision(thing) else ""


def _is_list(thing: Any) -> bool:
    return isinstance(thing, list | tuple | torch.nn.ModuleList)


def _members(thing: Any) -> Any:
    """Return the transforms of a sequence; None if it is something else."""
    if _kind(thing) == "Compose":
        return thing.transforms
    return thing if _is_list(thing) or type(thing) is torch.nn.Sequential else None


def _flat(thing: Any, place: str = "") -> Iterable[_Item]:
    """Yield the transforms of nested lists, one after another."""
    members = _members(thing)
    if members is None:
        yield _Item(place or "transforms[0]", thing)
        return
    for number, one in enumerate(members):
        yield from _flat(one, f"{place}.transforms[{number}]".removeprefix("."))


def _refuse_joint(item: _Item) -> None:
    kind = _kind(item.theirs)
    if kind in JOINT:
        raise ValueError(f"{kind}, at {item.place}, {JOINT[kind]}")
    for number, one in enumerate(_inside(item.theirs)):
        for below in _flat(one, f"{item.place}.transforms[{number}]"):
            _refuse_joint(below)


def _inside(theirs: Any) -> Any:
    """Return the transforms of a container that chooses."""
    inner = getattr(theirs, "transforms", None) if _is_torchvision(theirs) else None
    return inner if inner is not None and _is_list(inner) else ()


def _is_own(thing: Any) -> bool:
    """Return whether the result of a callable is not known."""
    return not _is_torchvision(thing) or _kind(thing) in ("Lambda", *_SEVERAL)


def _needs(thing: Any) -> str:
    """Return what a transform must be given; empty if it takes both."""
    if _kind(thing) == "RandomErasing" and ".v2" not in type(thing).__module__:
        return TENSOR
    return _NEEDS.get(_kind(thing), "")


def _form_of(items: Sequence[_Item]) -> str:
    """Return what the first transform is given: what the first needs by which one sees it, unless something else may make it."""
    for item in items:
        need = _needs(item.theirs)
        if need:
            return TENSOR if need == TENSOR else PICTURE
        if _is_own(item.theirs) and not _is_rgb(item.theirs):
            return PICTURE
    return PICTURE


def _reference(picture: Any) -> Any:
    return picture.convert("RGB")


def _is_rgb(thing: Any) -> bool:
    """Return whether a function, or the one in a Lambda, is ``picture.convert("RGB")`` and nothing else, by its code."""
    code = getattr(getattr(thing, "lambd", thing), "__code__", None)
    known = _reference.__code__
    return (
        code is not None
        and (code.co_code, code.co_names, code.co_argcount, code.co_kwonlyargcount)
        == (known.co_code, known.co_names, 1, 0)
        and [one for one in code.co_consts if isinstance(one, str)][-1:] == ["RGB"]
        and not code.co_freevars
    )


_RGB: Final = Row(lambda: ThreeChannels())


class _Walk:
    """A walk along the transforms: the members made so far, and the type of their result.

    Args:
        form: what the first is given.
        inside: of a container, which may leave them out: so they return what they are given.
    """

    def __init__(self, form: str, *, inside: bool = False) -> None:
        self.form = form
        self._inside = inside
        self.members: list[Any] = []
        self.lines: list[Line] = []
        self._inner: list[Line] = []
        """The lines of what is inside the container at hand."""
        self._from_picture = False
        self._whole_numbers = False
        self.whole = False
        """The last member returns what the pipeline returns, in whatever form."""

    def run(self, items: Sequence[_Item]) -> None:
        """Go along the transforms."""
        number = 0
        while number < len(items):
            number = self._step(items, number)

    def finished(self) -> list[Any]:
        """Return the members of the pipeline."""
        last = [ss.ToCHW()] if self.form == TENSOR and self._from_picture and not self.whole else []
        return [*self.members, *last]

    def _step(self, items: Sequence[_Item], number: int) -> int:
        """Convert or bridge the next transform, and perhaps those after it; return the number of the one to go on with."""
        item = items[number]
        if _is_rgb(item.theirs) and self.form == PICTURE:
            self._add(item, ThreeChannels(), "")
            return number + 1
        if _is_own(item.theirs):
            return self._own(items, number)
        try:
            result = self._made(item)
        except UnlikeError as error:
            self._bridge([item], self.form, str(error))
            return number + 1
        self._add(item, result, self._row(item.theirs).differs)
        kind = _kind(item.theirs)
        self._whole_numbers = kind in ("PILToTensor", "ToImage") or (
            self._whole_numbers and kind not in ("ToDtype", "ConvertImageDtype", "ConvertDtype")
        )
        self._becomes(self._row(item.theirs).makes or self.form)
        return number + 1

    def _row(self, theirs: Any) -> Row:
        return ROWS.get(_kind(theirs), _RGB)

    def _made(self, item: _Item) -> Any:
        """Return the counterpart of one of torchvision's transforms."""
        kind = _kind(item.theirs)
        if kind in ("RandomApply", "RandomChoice", "RandomOrder"):
            return self._container(kind, item)
        if kind not in ROWS:
            raise UnlikeError(BRIDGED.get(kind, "has no counterpart"))
        if kind == "Normalize" and self._whole_numbers:
            raise UnlikeError("needs floats, and would get whole numbers")
        return ROWS[kind].made(item.theirs, self.form)

    def _container(self, kind: str, item: _Item) -> Any:
        groups, lines = [], []
        for number, one in enumerate(item.theirs.transforms):
            walk = _Walk(self.form, inside=True)
            walk.run(list(_flat(one, f"{item.place}.transforms[{number}]")))
            if walk.form != self.form or walk.whole:
                raise UnlikeError("holds a transform that returns something else than it is given")
            groups.append(walk.members)
            lines += walk.lines
        result = _chosen(kind, item.theirs, groups)
        self._inner = lines
        return result

    def _own(self, items: Sequence[_Item], number: int) -> int:
        """Bridge callables whose results are not known; return the number of the transform to go on with."""
        theirs, last = items[number].theirs, number
        several = _kind(theirs) in _SEVERAL
        need = self.form if self._inside and not several else ""
        for place in range(number + 1, len(items)):
            if several or _needs(items[place].theirs):
                break
            apart = place > last + 1 and (self._inside or _needed(items, place) in (self.form, EITHER))
            if _is_own(items[place].theirs) and not apart:
                last = place
        need = need or ("" if several else _needed(items, number))
        if not need:
            why = "returns several images, which one pipeline does not" if several else _why(theirs)
            self._bridge(items[number:], None, why)
            self.whole = True
            return len(items)
        self._bridge(items[number : last + 1], need, _why(theirs))
        self._becomes(TENSOR if need == TENSOR else PICTURE)
        return last + 1

    def _becomes(self, form: str) -> None:
        """Note the type of the result."""
        if form != self.form:
            self.form = form
            self._from_picture = form == TENSOR

    def _add(self, item: _Item, made: Any, differs: str) -> None:
        listed = made if isinstance(made, list) else [made]
        if _kind(item.theirs) == "Normalize" and self.members and type(self.members[-1]) is ss.ToFloat:
            self.members.pop()  # it divides uint8 by 255 itself
        self.members += listed
        ours = ", ".join(map(repr, listed)) if listed else "nothing to do"
        self.lines.append(Line(item.place, _shown(item.theirs), ours, differs=differs))
        self.lines += self._inner
        self._inner = []

    def _bridge(self, items: Sequence[_Item], returned: str | None, why: str) -> None:
        self.members.append(bridged([item.theirs for item in items], self.form, returned))
        for item in items:
            reason = why if item is items[0] else f"is called with what {name_of(items[0].theirs)} returns"
            self.lines.append(Line(item.place, _shown(item.theirs), why=reason))


def _needed(items: Sequence[_Item], number: int) -> str:
    """Return what the next transform by which one sees it needs."""
    return next((need for item in items[number + 1 :] if (need := _needs(item.theirs))), "")


def _why(thing: Any) -> str:
    if _kind(thing) == "Lambda":
        return "is a function of your own"
    inside = [
        name
        for name, one in (getattr(thing, "__dict__", None) or {}).items()
        if not name.startswith("_") and _members(one) and all(map(callable, _members(one)))
    ]
    hint = (
        f", with transforms in .{inside[0]}: convert these, and pass views= if it makes several images"
        if inside
        else ""
    )
    return "is your own" + hint


def _shown(thing: Any) -> str:
    """Return a transform's repr, in one line; the name of a function."""
    if not _is_torchvision(thing) or _kind(thing) in ("Lambda", "RandomApply", "RandomChoice", "RandomOrder"):
        return name_of(thing)
    return " ".join(repr(thing).split())


def _chosen(kind: str, theirs: Any, groups: list[list[Any]]) -> Any:
    """Return the container of groups of members."""
    if kind == "RandomApply":
        members = [one for group in groups for one in group]
        return ss.RandomApply(members, p=float(theirs.p)) if members else []
    each = [ss.Compose(group) if len(group) != 1 else group[0] for group in groups]
    if kind == "RandomChoice":
        weights = theirs.p
        if weights is None or len(set(map(float, weights))) == 1:
            return ss.OneOf(each)
        return ss.Choice(each, weights=[float(one) for one in weights])
    if len(each) > 4:
        raise UnlikeError(f"puts {len(each)} transforms into any order, and at most 4 are here")
    return ss.OneOf([ss.Compose(order) for order in permutations(each)])


def draws_places(transform: Any) -> list[str]:
    """Return the names of torchvision's transforms that draw where pixels go, in a transform and all inside it."""
    found = []
    for item in _flat(transform):
        kind = _kind(item.theirs)
        if kind in _PLACES:
            found.append(kind)
        for one in _inside(item.theirs):
            found += draws_places(one)
    return found


_PLACES: Final = frozenset(
    {
        *("RandomHorizontalFlip", "RandomVerticalFlip", "RandomCrop", "RandomResizedCrop", "RandomSizedCrop"),
        *("RandomRotation", "RandomAffine", "RandomPerspective", "ElasticTransform", "ScaleJitter"),
        *("RandomShortestSize", "RandomResize", "RandomZoomOut"),
    }
)
