"""convert: a torchvision Compose as a seedsafe pipeline."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from types import FunctionType
from typing import Any, Final

import torch

import seedsafe as ss
from seedsafe.reading import BoundAugment
from seedsafe_torch.conversion.pixels import EITHER, PICTURE, TENSOR, ThreeChannels, bridge_of, name_of
from seedsafe_torch.conversion.recorder import Several, Stored, chains_of, filled, to_rgb
from seedsafe_torch.conversion.table import BRIDGED, JOINT, ROWS, Row, UnlikeError

__all__ = ["Converted", "ConvertedViews", "Line", "Report", "convert", "convert_views", "drawing_transforms"]


@dataclass(frozen=True)
class Line:
    """The report of one transform.

    Args:
        place: its position, such as ``transforms[2].transforms[0]``.
        theirs: its class or function.
        ours: the seedsafe transform that replaces it, or empty if it is bridged.
        why: the reason why it is bridged, or empty if it is converted.
        differs: how the result differs from torchvision's on a PIL image, or empty if it does not.
    """

    place: str
    theirs: str
    ours: str = ""
    why: str = ""
    differs: str = ""


@dataclass(frozen=True)
class Report:
    """The report of `convert`. Its str is a table to read.

    Args:
        lines: the lines of the transforms, in order.

    Example:
        >>> print(Report((Line("transforms[0]", "Invert", "Invert()"), Line("transforms[1]", "Lambda", why="is your own"))))
        1 of 2 transforms converted, 1 bridged: keyed, and called as before
          transforms[0]  Invert → Invert()
          transforms[1]  Lambda: bridged, since it is your own
    """

    lines: tuple[Line, ...]

    @property
    def converted(self) -> tuple[Line, ...]:
        """The lines of transforms that are now seedsafe's."""
        return tuple(line for line in self.lines if not line.why)

    @property
    def bridged(self) -> tuple[Line, ...]:
        """The lines of transforms that are called as before, with their draws keyed."""
        return tuple(line for line in self.lines if line.why)

    @property
    def differing(self) -> tuple[Line, ...]:
        """The lines of transforms that do not give torchvision's bytes for the same draws."""
        return tuple(line for line in self.lines if line.differs)

    def __str__(self) -> str:
        total = len(self.lines)
        bridged = len(self.bridged)
        rest = f", {bridged} bridged: keyed, and called as before" if bridged else ""
        table = [f"{total - bridged} of {total} transform{'s' * (total != 1)} converted{rest}"]
        width = max((len(line.place) for line in self.lines), default=0)
        for line in self.lines:
            result = f": bridged, since it {line.why}" if line.why else f" → {line.ours}"
            note = f"; {line.differs}" if line.differs else ""
            table.append(f"  {line.place:{width}}  {line.theirs}{result}{note}")
        return "\n".join(table)


class Converted(ss.Compose):
    """A Compose from `convert`, with its report."""

    report: Report
    tensors = False
    """Whether torchvision returns a tensor."""

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(_build, **self.options()), (self.transforms, self.report, self.tensors)

    def to_dict(self) -> dict[str, Any]:
        """Return the pipeline as plain data, like a Compose."""
        return ss.Compose(self.transforms, **self.options()).to_dict()


class ConvertedViews(ss.Views):
    """The Views from `convert`, with their report."""

    pipelines: tuple[Converted, ...]
    form: Any = None
    """How the views come: a dict, list or tuple of their numbers; None for a tuple of all."""

    def arranged(self, views: Sequence[Any]) -> Any:
        """Return views in the form in which the object that made them returned them."""
        return tuple(views) if self.form is None else filled(self.form, views)

    @property
    def tensors(self) -> bool:
        """Whether torchvision returns tensors."""
        return all(one.tensors for one in self.pipelines)

    @property
    def report(self) -> Report:
        """The lines of all views; those of equal views are there once."""
        return Report(tuple(dict.fromkeys(line for one in self.pipelines for line in one.report.lines)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _build_views, (self.pipelines, self.form)

    def to_dict(self) -> dict[str, Any]:
        """Return the pipelines as plain data, like Views, which have no form."""
        return ss.Views([ss.Compose(one.transforms, **one.options()) for one in self.pipelines]).to_dict()


def _build(transforms: Iterable[Any], report: Report, tensors: bool, **options: Any) -> Converted:
    result = Converted(transforms, **options)
    result.report, result.tensors = report, tensors
    return result


def _build_views(pipelines: Iterable[Any], form: Any) -> ConvertedViews:
    result = ConvertedViews(pipelines)
    result.form = form
    return result


def convert(transform: Any) -> Converted | ConvertedViews:
    """Return torchvision transforms as a seedsafe pipeline, with the same distribution of samples.

    An object of your own class, or a function, that returns several views of its image, as for contrastive learning, becomes
    ``seedsafe.Views`` if its call does nothing but pass the image on to its transforms and list their results.

    Transforms inside an object of your own class are found if its call does nothing but pass the image on to them, as
    torchvision's presets do. Each known transform, of torchvision or timm, becomes one of seedsafe's, with the effect that
    torchvision's has on a PIL image. All others (functions,
    your own classes, unknown arguments) stay at their position: they get the PIL image or tensor that they expect, and their
    draws from `random`, ``numpy.random`` or torch follow the key. torchvision itself is not imported. The argument is not
    changed, and later changes to it have no effect.

    In an `AugmentedDataset`, the pipeline takes the images of a dataset without its transform: PIL images, or arrays (H, W) or
    (H, W, C). ``AugmentedDataset(dataset, seed=…, convert=True)`` takes a dataset with its transform. Where torchvision returns
    a tensor, the pipeline returns an array (C, H, W).

    Args:
        transform: a Compose or another transform of ``torchvision.transforms`` or its ``v2``, a list of these, or a
            ``torch.nn.Sequential``.

    Returns:
        A Compose, or Views. ``print(pipeline.report)`` shows for each transform whether it is converted, or why it is bridged, and how
        it differs from torchvision's.

    Raises:
        TypeError: the argument is not a transform.
        ValueError: it contains a transform of several parts of a sample, or of batches, or makes several views of an image that
            has been changed at random.

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
    is_dataset = hasattr(transform, "__getitem__") and hasattr(transform, "transform")
    if is_dataset and not isinstance(transform, type):
        raise TypeError(
            f"transform must be the transform of a dataset, got the dataset {type(transform).__qualname__}: pass "
            "AugmentedDataset(dataset, seed=..., convert=True), or its .transform"
        )
    if not (callable(transform) or _is_list(transform)) or isinstance(transform, type | str):
        raise TypeError(
            f"transform must be a torchvision Compose or another of its transforms, or a list of them, got {transform!r}: pass the "
            "object that a dataset gets as transform="
        )
    if isinstance(transform, ss.Compose | ss.Transform):
        raise TypeError(
            f"transform must be torchvision's, got {transform!r}, which is seedsafe's already: use it as it is"
        )
    chains = _chains(transform)
    return _views(chains, chains.form) if isinstance(chains, Several) else _converted(chains)


def convert_views(transforms: Sequence[Any]) -> ConvertedViews:
    """Return transforms, each of one view, as Views."""
    return _views([_flat(one, f"views[{number}]") for number, one in enumerate(transforms)])


def _views(chains: Sequence[list[Stored]], form: Any = None) -> ConvertedViews:
    """Return the transforms of several views as Views."""
    done: dict[Any, Converted] = {}
    each = [tuple(id(item.theirs) for item in chain) for chain in chains]
    for which, chain in zip(each, chains, strict=True):  # equal ones are one pipeline
        if which not in done:
            done[which] = _converted(chain)
    return _build_views([done[which] for which in each], form)


def _converted(items: Sequence[Stored]) -> Converted:
    """Return the transforms of one view as a pipeline."""
    for item in items:
        if not callable(item.theirs):
            raise TypeError(
                f"{item.path} must be callable, got {item.theirs!r} of type {type(item.theirs).__name__}: pass transforms"
            )
        _refuse_joint(item)
    walk = _Walk(_first_form(items))
    walk.run(items)
    return _build(walk.pipeline(), Report(tuple(walk.lines)), walk.form == TENSOR)


_SEVERAL: Final = ("FiveCrop", "TenCrop")


def _is_torchvision(thing: Any) -> bool:
    return bool(_kind(thing))


def _kind(thing: Any) -> str:
    """Return the name in the tables of a transform of torchvision or timm, or "" for anything else.

    A class derived from it counts as well, if it defines nothing but how it is made and written.
    """
    for cls in type(thing).__mro__:
        module, name = cls.__module__ or "", cls.__name__
        if module.startswith("torchvision.transforms"):
            return name
        if module.startswith("timm.data") and f"timm.{name}" in ROWS:
            return f"timm.{name}"
        defined = (part for key, part in vars(cls).items() if key not in _DESCRIBING)
        if any(isinstance(part, _METHODS) for part in defined):
            return "timm.MaybeToTensor" if name == "MaybeToTensor" and _derives(cls, "ToTensor") else ""
    return ""


_METHODS: Final = (FunctionType, staticmethod, classmethod, property)
_DESCRIBING: Final = ("__init__", "__repr__", "extra_repr")


def _derives(cls: type, name: str) -> bool:
    return any(base.__name__ == name and base.__module__.startswith("torchvision.") for base in cls.__mro__)


def _is_list(thing: Any) -> bool:
    return isinstance(thing, list | tuple | torch.nn.ModuleList)


def _members(thing: Any) -> Any:
    """Return the transforms of a sequence, or None."""
    if _kind(thing) == "Compose":
        return thing.transforms
    return thing if _is_list(thing) or type(thing) is torch.nn.Sequential else None


def _flat(thing: Any, path: str = "") -> list[Stored]:
    """Return the transforms of nested lists, which make one view."""
    chains = _chains(thing, path)
    if isinstance(chains, Several):
        raise _several_views(path, thing, len(chains))
    return chains


def _several_views(path: str, thing: Any, count: int) -> ValueError:
    """Return the error for an object that makes several views of an image inside a pipeline."""
    where = f", at {path}," if path else ""
    return ValueError(
        f"{type(thing).__qualname__}{where} makes {count} views of an image, and a pipeline makes one: put it around the whole "
        "pipeline, with the other transforms in each of its own, or pass bridge=True instead of convert=True, which keeps the dataset "
        "as it is"
    )


def _chains(thing: Any, path: str = "") -> Several | list[Stored]:
    """Return the transforms of the views that a transform makes, or if it returns an image, those of the image."""
    members = _members(thing)
    if members is not None:
        return _chained([(one, _joined(path, f"transforms[{number}]")) for number, one in enumerate(members)])
    called = thing.lambd if _kind(thing) == "Lambda" else thing
    found = chains_of(called) if _is_wrapper(called) else None
    if found is None:
        return [Stored(path or "transforms[0]", thing)]
    if not isinstance(found, Several):
        return _chained([(stored.theirs, _joined(path, stored.path)) for stored in found])
    _refuse_shared_draws(thing, path, found)
    each = [_chained([(stored.theirs, _joined(path, stored.path)) for stored in chain]) for chain in found]
    nested = next((one for one in each if isinstance(one, Several)), None)
    if nested is not None:
        raise _several_views(path, thing, len(each) - 1 + len(nested))
    return Several(each, found.form)


def _refuse_shared_draws(thing: Any, path: str, found: Several) -> None:
    """Refuse an object that draws for an image and goes on to several views of it, since each view has draws of its own."""
    number_of = Counter(id(stored) for chain in found for stored in chain)
    shared = {id(stored): stored for chain in found for stored in chain if number_of[id(stored)] > 1}
    for stored in shared.values():
        if BoundAugment(_converted(_flat(stored.theirs, _joined(path, stored.path)))).draws:
            raise _several_views(path, thing, len(found))


def _chained(members: Sequence[tuple[Any, str]]) -> Several | list[Stored]:
    """Return the transforms of the views, or of the image, that transforms make together, from these and their paths.

    Only the last may make several views. Those before it then belong to each view, unless they draw: all views have the same
    draws of theirs.
    """
    items: list[Stored] = []
    for number, (one, path) in enumerate(members):
        chains = _chains(one, path)
        if isinstance(chains, Several):
            if number + 1 < len(members) or (items and BoundAugment(_converted(items)).draws):
                raise _several_views(path, one, len(chains))
            return Several([[*items, *chain] for chain in chains], chains.form)
        items += chains
    return items


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _is_wrapper(thing: Any) -> bool:
    """Return whether an object of the user's own class may do nothing but call transforms that it stores."""
    ours = isinstance(thing, ss.Transform | ss.Compose) or thing is to_rgb
    return not (ours or _is_torchvision(thing))


def _refuse_joint(item: Stored) -> None:
    kind = _kind(item.theirs)
    if kind in JOINT:
        raise ValueError(f"{kind}, at {item.path}, {JOINT[kind]}")
    needed = _arguments(item.theirs)
    if len(needed) > 1:
        raise ValueError(
            f"{name_of(item.theirs)}, at {item.path}, takes {', '.join(needed)}, and a pipeline of one image passes the image alone: write "
            "the pipeline with seedsafe's transforms, and name the parts of a sample with targets=, which moves them together; or pass "
            "bridge=True instead of convert=True, which keeps the dataset as it is"
        )
    for number, one in enumerate(_inside(item.theirs)):
        for below in _flat(one, f"{item.path}.transforms[{number}]"):
            _refuse_joint(below)


def _arguments(theirs: Any) -> list[str]:
    """Return the names of the arguments that a callable of the user's own cannot do without."""
    if not _is_wrapper(theirs) or isinstance(theirs, type):
        return []
    called = theirs.forward if isinstance(theirs, torch.nn.Module) else theirs
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return []  # written in C
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in parameters if one.kind in by_position and one.default is one.empty]


def _inside(theirs: Any) -> Any:
    """Return the transforms of a random container, such as RandomChoice."""
    inner = getattr(theirs, "transforms", None) if _is_torchvision(theirs) else None
    return inner if inner is not None and _is_list(inner) else ()


def _returns_unknown(thing: Any) -> bool:
    """Return whether the form of a callable's result is unknown."""
    return not _is_torchvision(thing) or _kind(thing) in ("Lambda", *_SEVERAL)


def _needs(thing: Any) -> str:
    """Return the form that a transform needs, or "" if it takes both."""
    kind = _kind(thing)
    if kind == "LinearTransformation" or (kind == "RandomErasing" and ".v2" not in type(thing).__module__):
        return TENSOR
    return ROWS[kind].needs if kind in ROWS else ""


def _first_form(items: Sequence[Stored]) -> str:
    """Return the form that the first transform gets.

    It is the form that the first transform with a need needs, unless an unknown callable before it may change the form. ToDtype
    takes both, but leaves PIL images as they are, so that without such a transform it is there for tensors.
    """
    for item in items:
        need = _needs(item.theirs)
        if need:
            return TENSOR if need == TENSOR else PICTURE
        if _returns_unknown(item.theirs) and item.theirs is not to_rgb:
            return PICTURE
    return TENSOR if any(_kind(item.theirs) == "ToDtype" for item in items) else PICTURE


_RGB: Final = Row(lambda: ThreeChannels())


class _Walk:
    """A walk along the transforms: the members of the pipeline so far, and the form of their result.

    Args:
        form: the form that the first gets.
        inside: whether they are in a container, which may leave them out, so that they must return the form that they get.
    """

    def __init__(self, form: str, *, inside: bool = False) -> None:
        self.form = form
        self._inside = inside
        self.members: list[Any] = []
        self.lines: list[Line] = []
        self._inner: list[Line] = []
        """The lines of the transforms inside the current container."""
        self._from_picture = False
        self._whole_numbers = False
        self.ends = False
        """The last member ends the pipeline, and may return any form."""

    def run(self, items: Sequence[Stored]) -> None:
        """Convert or bridge all transforms."""
        number, items = 0, list(items)
        while number < len(items):
            number = self._step(items, number)

    def pipeline(self) -> list[Any]:
        """Return the members of the pipeline."""
        last = [ss.ToCHW()] if self.form == TENSOR and self._from_picture and not self.ends else []
        return [*self.members, *last]

    def _step(self, items: list[Stored], number: int) -> int:
        """Convert or bridge a transform, perhaps with some after it. Return the number of the next one."""
        item = items[number]
        if item.theirs is to_rgb and self.form == PICTURE:
            self._add(item, ThreeChannels(), "")
            return number + 1
        if _returns_unknown(item.theirs):
            return self._bridge_unknown(items, number)
        try:
            result = self._counterpart(item)
        except UnlikeError as error:
            self._bridge([item], self.form, str(error))
            return number + 1
        self._add(item, result, self._row(item.theirs).differs)
        kind = _kind(item.theirs)
        self._whole_numbers = kind in ("PILToTensor", "ToImage", "timm.MaybePILToTensor", "timm.ToNumpy") or (
            self._whole_numbers and kind not in ("ToDtype", "ConvertImageDtype", "ConvertDtype")
        )
        self._set_form(self._row(item.theirs).returns or self.form)
        return number + 1

    def _row(self, theirs: Any) -> Row:
        return ROWS.get(_kind(theirs), _RGB)

    def _counterpart(self, item: Stored) -> Any:
        """Return the seedsafe transform, or list of them, for a torchvision transform."""
        kind = _kind(item.theirs)
        if kind in ("RandomApply", "RandomChoice", "RandomOrder"):
            return self._container(kind, item)
        if kind not in ROWS:
            raise UnlikeError(BRIDGED.get(kind, "has no counterpart"))
        if kind == "Normalize" and self._whole_numbers:
            raise UnlikeError("needs floats, but would get whole numbers")
        return ROWS[kind].counterpart(item.theirs, self.form)

    def _container(self, kind: str, item: Stored) -> Any:
        groups, lines = [], []
        for number, one in enumerate(item.theirs.transforms):
            walk = _Walk(self.form, inside=True)
            walk.run(_flat(one, f"{item.path}.transforms[{number}]"))
            if walk.form != self.form or walk.ends:
                raise UnlikeError("contains a transform that returns a form other than the one it takes")
            groups.append(walk.members)
            lines += walk.lines
        result = _container_of(kind, item.theirs, groups)
        self._inner = lines
        return result

    def _bridge_unknown(self, items: Sequence[Stored], number: int) -> int:
        """Bridge callables whose results are unknown. Return the number of the next transform."""
        theirs, last = items[number].theirs, number
        several = _kind(theirs) in _SEVERAL
        need = self.form if self._inside and not several else ""
        for later in range(number + 1, len(items)):
            if several or _needs(items[later].theirs):
                break
            apart = later > last + 1 and (self._inside or _next_need(items, later) in (self.form, EITHER))
            if _returns_unknown(items[later].theirs) and not apart:
                last = later
        need = need or ("" if several else _next_need(items, number))
        if not need:
            why = "returns several images, which one pipeline does not" if several else _why_bridged(theirs)
            self._bridge(items[number:], None, why)
            self.ends = True
            return len(items)
        self._bridge(items[number : last + 1], need, _why_bridged(theirs))
        self._set_form(TENSOR if need == TENSOR else PICTURE)
        return last + 1

    def _set_form(self, form: str) -> None:
        if form != self.form:
            self.form = form
            self._from_picture = form == TENSOR

    def _add(self, item: Stored, ours: Any, differs: str) -> None:
        members = ours if isinstance(ours, list) else [ours]
        if _kind(item.theirs) == "Normalize" and self.members and type(self.members[-1]) is ss.ToFloat:
            self.members.pop()  # Normalize divides uint8 by 255 itself
        self.members += members
        text = ", ".join(map(repr, members)) if members else "nothing to do"
        self.lines.append(Line(item.path, _written(item.theirs), text, differs=differs))
        self.lines += self._inner
        self._inner = []

    def _bridge(self, items: Sequence[Stored], returns: str | None, why: str) -> None:
        self.members.append(bridge_of([item.theirs for item in items], self.form, returns))
        for item in items:
            reason = why if item is items[0] else f"takes the result of {name_of(items[0].theirs)}"
            self.lines.append(Line(item.path, _written(item.theirs), why=reason))


def _next_need(items: Sequence[Stored], number: int) -> str:
    """Return the need of the next transform that has one, or ""."""
    return next((need for item in items[number + 1 :] if (need := _needs(item.theirs))), "")


def _why_bridged(thing: Any) -> str:
    if _kind(thing) == "Lambda":
        return "is a function of your own"
    held = getattr(thing, "__dict__", None) or {}
    public = ((name, _members(one)) for name, one in held.items() if not name.startswith("_"))
    inside = next((name for name, members in public if members and all(map(callable, members))), None)
    if inside is None:
        return "is your own"
    return f"is your own, with transforms in .{inside}: convert these, and pass views= if it returns several images"


_LONG: Final = ("RandomApply", "RandomChoice", "RandomOrder", "timm.RandAugment")
"""Transforms whose repr lists all that they contain."""


def _written(thing: Any) -> str:
    """Return a transform's repr in one line, or the name of a function."""
    if not _is_torchvision(thing) or _kind(thing) in (*_LONG, "Lambda"):
        return name_of(thing)
    return " ".join(repr(thing).split())


def _container_of(kind: str, theirs: Any, groups: list[list[Any]]) -> Any:
    """Return the seedsafe container for a torchvision container, from groups of members."""
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
        raise UnlikeError(f"puts {len(each)} transforms into any order, but seedsafe puts at most 4")
    return ss.OneOf([ss.Compose(order) for order in permutations(each)])


def drawing_transforms(transform: Any) -> list[str]:
    """Return the names of the torchvision transforms, in a transform and all inside it, that draw; a container is what is in it."""
    found = []
    for item in _flat(transform):
        kind, inside = _kind(item.theirs), _inside(item.theirs)
        if not inside and kind.startswith(("Random", "Elastic", "ScaleJitter")):
            found.append(kind)
        for one in inside:
            found += drawing_transforms(one)
    return found
