"""An augmentation, asked before all reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

from seedsafe.ground.info import Array
from seedsafe.keys.key import SampleKey, checked_int
from seedsafe.pipeline.batch import Many
from seedsafe.pipeline.blame import blame, code_name
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Root, run
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.spans import check_values, needs_ranges
from seedsafe.pipeline.state import Partners
from seedsafe.pipeline.transform import Transform
from seedsafe.pipeline.views import Views
from seedsafe.reading.targets import Targets, check_targets

__all__ = ["Augment", "BoundAugment", "listed"]

Augment = Callable[..., Any]
"""A Compose, a Transform, or another callable, called as ``augment(sample, key=key)``."""


class BoundAugment:
    """An augmentation with all that reads need to know of it, found out once, so that no read has to ask.

    Args:
        augment: a Compose, a Transform, Views, another callable, or None.

    Example:
        >>> import seedsafe as ss
        >>> bound = BoundAugment(ss.Compose([ss.RandomCrop(2), ss.ToCHW()]))
        >>> bound.draws, bound.channels_first, bound.target, bound.is_foreign, bound.mixer
        (True, True, 'image', False, None)
        >>> BoundAugment(ss.MixUp(classes=10)).mixer, BoundAugment(ss.MixUp(classes=10)).labels
        ('MixUp', ('label',))
        >>> BoundAugment(lambda sample, key: sample).is_foreign, BoundAugment(None).draws
        (True, False)
    """

    def __init__(self, augment: Any) -> None:
        self.augment = augment
        views: tuple[Any, ...] = augment.pipelines if isinstance(augment, Views) else ()
        self.views: tuple[BoundAugment, ...] = tuple(map(BoundAugment, views))
        """The pipeline of each view, if they are listed."""
        self.arrange: Callable[[list[Any]], Any] = augment.arranged if isinstance(augment, Views) else tuple
        """Makes one of the views of a part of a sample."""
        self.pipeline = pipeline = _pipeline_of(augment)
        """A Compose with the library's own call, which may hold just one transform; None for anything else."""
        self.takes_arrays: bool = isinstance(augment, Compose | Transform) or (
            bool(views) and all(isinstance(view, Compose | Transform) for view in views)
        )
        """Whether tensors, PIL images and lists of frames reach it as arrays; another callable gets the parts as they are."""
        self.root: Root | None = None
        """The nodes to run. None if the augmentation is called: it may be somebody's own, or change its `p` later."""
        if self.pipeline is not None and (self.pipeline is augment or marks_of(type(augment)).own):
            self.root = self.pipeline._root  # pyright: ignore[reportPrivateUsage]
        self.rules = Rules() if pipeline is None else pipeline._rules  # pyright: ignore[reportPrivateUsage]
        """The rules of the pipeline, of that of the first view; those of an empty one for other code."""
        self.draws = self.is_foreign = augment is not None
        """Whether it draws anything from its key, and whether it runs code from outside this library."""
        self.mixer: str | None = None
        """The name of the first of its transforms that mixes samples, or None."""
        self.channels_first = False
        """Whether it returns images as (C, H, W)."""
        self.target = "image"
        """The target of a sample that is an array by itself."""
        self.labels: tuple[str, ...] = ()
        """The names of the entries of a sample that it may shorten or mix."""
        if views:
            self._be_as_views()
        elif self.takes_arrays:
            self._be_as_transforms()
        self.rules_of_parts = self.rules if self.takes_arrays else None
        """The rules by which the parts of a sample are told apart, or None if it gets samples as they are."""
        self.is_empty = (
            pipeline is augment and pipeline is not None and not (pipeline.transforms or pipeline.options())
        )
        """Whether it is an empty Compose, which leaves samples as they are."""
        self.partners: Partners | None = None
        """The other samples of the dataset, around one of its samples."""
        self.source: str | None = None
        """Where samples come from, for runs that check the values that transforms get."""

    def _be_as_views(self) -> None:
        first, *_ = views = self.views
        self.rules, self.target, self.channels_first = first.rules, first.target, first.channels_first
        self.draws = any(view.draws for view in views)
        self.is_foreign = any(view.is_foreign for view in views)
        self.mixer = next((view.mixer for view in views if view.mixer is not None), None)
        self.labels = tuple(dict.fromkeys(label for view in views for label in view.labels))

    def _be_as_transforms(self) -> None:
        if self.pipeline is None:  # a subclass with a call of its own
            namer = Namer()
            node, self.rules = self.augment.bind(namer), namer.rules
        else:
            node = self.pipeline._chain  # pyright: ignore[reportPrivateUsage]
        transforms = [leaf.transform for leaf in node.leaves()]
        self.draws, self.mixer, self.labels = bool(node.ops), self.rules.mixer, self.rules.labels
        self.is_foreign = self.root is None or not all(marks_of(type(one)).own for one in transforms)
        self.channels_first = any(one.channels == "to first" for one in transforms)
        hears = any("image" not in one.primary for one in transforms)
        self.target = "video" if self.rules.video else "audio" if hears else "image"

    def among(self, partners: Partners) -> BoundAugment:
        """Return the same pipeline with access to the other samples of a dataset, for transforms that mix them."""
        assert self.pipeline is not None
        root = self.rules.mixing_root
        if root is None:
            return self._with(partners=partners)
        return self._with(partners=partners, root=root(self.pipeline._chain, self.rules, partners, False))  # pyright: ignore[reportPrivateUsage]

    def checking(self) -> BoundAugment:
        """Return the same pipeline with checks of the values that its transforms get; see `seedsafe.pipeline.spans`."""
        return self._with(source="the dataset returns")

    def _with(self, **attributes: Any) -> BoundAugment:
        twin = BoundAugment.__new__(BoundAugment)
        vars(twin).update(vars(self) | attributes)
        return twin

    @property
    def needs_ranges(self) -> bool:
        """Whether it has a transform that takes only floats of a certain range."""
        return self.pipeline is not None and needs_ranges(self.pipeline._chain.leaves())  # pyright: ignore[reportPrivateUsage]

    def like(self, augment: Augment) -> BoundAugment:
        """Return another augmentation with access to the same samples."""
        bound = BoundAugment(augment)
        return bound if self.partners is None else bound.among(self.partners)

    def __call__(self, parts: Any, key: SampleKey | None, row: Array | None = None) -> Any:
        """Return an array or a dict of targets, augmented. A pipeline may write an array into the row, and returns it then."""
        if self.root is not None:
            return run(self.root, parts, key, self.rules, None, row, self.source)
        if self.source is not None and self.pipeline is not None:
            check_values(self.pipeline._chain.steps, parts, self.source)  # pyright: ignore[reportPrivateUsage]
        try:
            return self.augment(parts, key=key)
        except Exception as error:
            if type(self.augment).__call__ not in (Compose.__call__, Transform.__call__):  # these name theirs
                blame(error, code_name(self.augment))
                if _takes_no_key(self.augment):
                    raise _foreign(self.augment) from error
            raise

    def check_targets(self, targets: Any) -> Targets:
        """Return `targets`, or raise an error if they are wrong or not for this augmentation."""
        if isinstance(targets, str) and targets == "sample" and (self.takes_arrays or self.augment is None):
            raise ValueError(
                f'targets="sample" gives the whole sample to a callable, got augment={self.augment!r}: leave targets out, or name '
                "the parts that it augments"
            )
        return check_targets(targets, self.labels)

    @property
    def many(self) -> Many | None:
        """The pipeline for many images at once, or None if it needs more than the image and its key."""
        pipeline = self.pipeline
        if pipeline is None or pipeline is not self.augment or self.source is not None:
            return None
        return pipeline.many if pipeline.many.is_known and self.rules.mixer is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundAugment, (self.augment,)


def _takes_no_key(augment: Any) -> bool:
    """Return whether a callable has no argument `key` by name, as other libraries' pipelines have none."""
    try:
        return "key" not in signature(augment).parameters
    except (TypeError, ValueError):
        return False


def _foreign(augment: Any) -> TypeError:
    """Return the error for a pipeline of another library."""
    error = TypeError(
        f"augment is called as augment(sample, key=key), which {code_name(augment)} of {augment.__module__} does not take: call it "
        "in the base's __getitem__, and pass bridge=True (for torchvision's as transform= of the base, also convert=True), or wrap it, "
        "augment=seedsafe.bridge(augment)"
    )
    blame(error, code_name(augment))
    return error


def _pipeline_of(augment: Any) -> Compose | None:
    """Return the Compose that does what an augmentation does, or None if it has a call of its own."""
    kind: Any = type(augment)
    if isinstance(augment, Compose):
        return augment if (kind.__call__, kind.bind) == (Compose.__call__, Compose.bind) else None
    if isinstance(augment, Transform) and kind.__call__ is Transform.__call__:
        return Compose([augment])
    return None


def listed(augment: Any, views: Any) -> tuple[Any, int | None]:
    """Return an augmentation and the number of views, None if the augmentation is Views, from a dataset's arguments.

    Raises:
        TypeError: `views` is neither a number nor a list of pipelines.
        ValueError: it is out of its range, or there is an augmentation besides a list.

    Example:
        >>> import seedsafe as ss
        >>> listed(None, [ss.ToGray(), ss.Invert()])
        (Views([ToGray(), Invert()]), None)
    """
    several = isinstance(augment, Views)
    if views is None:
        return augment, None
    if isinstance(views, Iterable | Views):
        if augment is not None:
            raise ValueError(
                f"views={views!r} has a pipeline for each view, got augment={augment!r} as well: leave one of them out"
            )
        return views if isinstance(views, Views) else Views(views), None
    count = checked_int(
        "views", views, 1, 2**16, "pass the number of views, or a list with a pipeline for each"
    )
    if several:
        raise ValueError(
            f"augment={augment!r} lists its {len(augment)} views itself, got views={count} as well: leave views out, or list "
            f"them that often, Views([...] * {count})"
        )
    return augment, count
