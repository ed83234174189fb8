"""Views: a pipeline for each view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from seedsafe.ground.html import table
from seedsafe.ground.info import TARGETS, named_parts
from seedsafe.keys.ambient import claim
from seedsafe.keys.key import SampleKey, checked_int
from seedsafe.pipeline.blame import code_name
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.html import pipeline_table
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import checked_key
from seedsafe.pipeline.option import store
from seedsafe.pipeline.primitive import declared
from seedsafe.pipeline.serial import Saved
from seedsafe.pipeline.state import Applied
from seedsafe.pipeline.transform import Transform

__all__ = ["Views", "joined", "keys_of_views"]

_NO_LISTS: Final = (str, bytes, Mapping, set, frozenset)


@declared
class Views(Saved):
    """Make several views of one sample, each with a pipeline of its own: crops of several sizes, or a weak and a strong view.

    Each augmented part of the sample becomes a tuple of its views; all other parts stay. Each pipeline has the stream
    names that it has alone, and draws at the number of its own view: if the key has the view `o`, pipeline `k` of `n`
    gets the view ``o * n + k``. So ``Views([a] * n)`` makes the same views as a dataset with the pipeline `a` and ``views=n``.

    It is passed to datasets as their augmentation, and cannot be part of a Compose. ``AugmentedDataset(…, views=[a, b])`` means
    ``AugmentedDataset(…, Views([a, b]))``.

    Args:
        pipelines: a Compose or a Transform for each view, or another callable, called as ``pipeline(sample, key=key)``. An
            empty Compose leaves the view as it is.

    Raises:
        TypeError: the argument is not a list, or one of its entries is not a pipeline.
        ValueError: there are no pipelines, or 2**16 or more.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> views = ss.Views([ss.CenterCrop(4), ss.RandomCrop(2), ss.RandomCrop(2)])
        >>> image = np.arange(36, dtype=np.uint8).reshape(6, 6)
        >>> [view.shape for view in views(image, key=ss.SampleKey(42, 3, 1234))]
        [(4, 4), (2, 2), (2, 2)]
        >>> views.params(ss.SampleKey(42, 3, 1234), image, view=2)
        [Applied(name='RandomCrop', params=Corner(top=1, left=0))]
    """

    __slots__ = ("_ops", "pipelines")

    described_as = "Views"

    pipelines: tuple[Any, ...]

    def __init__(self, pipelines: Iterable[Callable[..., Any]]) -> None:
        store(self, pipelines=_checked(pipelines))
        self._ops = tuple(dict.fromkeys(op for pipeline in self.pipelines for op in _ops_of(pipeline)))

    def __call__(self, sample: Any = None, *, key: SampleKey | None = None, **parts: Any) -> Any:
        """Return the views of a sample: a tuple of arrays, or a dict in which each augmented part is a tuple.

        Args:
            sample: an array, or a dict of targets.
            parts: the targets by name, instead of a dict.
            key: the sample's key; see `Compose`.

        Raises:
            TypeError: there is no key outside a read, or the sample is not an array or a dict of arrays.
            ValueError: a transform cannot be applied to the sample.
        """
        if parts:
            sample = named_parts(sample, parts, self.labels)
        if key is None:
            with claim(self._ops) as call_key:
                return self(sample, key=call_key)
        keys = keys_of_views(checked_key(key), len(self.pipelines))
        views = [pipeline(sample, key=key) for pipeline, key in zip(self.pipelines, keys, strict=True)]
        return joined(sample, views, self.labels, arrange=self.arranged)

    @property
    def labels(self) -> tuple[str, ...]:
        """The entries of a sample with labels, of any of the pipelines."""
        each = [pipeline.labels for pipeline in self.pipelines if isinstance(pipeline, Compose)]
        return tuple(dict.fromkeys(label for labels in each for label in labels))

    def params(
        self, key: SampleKey, sample: Any, *, view: int | None = None
    ) -> list[Applied] | list[list[Applied]]:
        """Return the parameters that the pipelines draw for a sample, as `Compose.params` does.

        Args:
            key: the sample's key.
            sample: the shape, Info or array of a sample, or a dict of these by target.
            view: the number of one view, from 0.

        Returns:
            The list of one view, or a list of such lists, one for each view.

        Raises:
            TypeError: the pipeline of a view is neither a Compose nor a Transform.
            ValueError: there is no such view, or the description lacks something that a transform needs.
        """
        keys = keys_of_views(checked_key(key), len(self.pipelines))
        if view is not None:
            number = self._number(view)
            return self.pipeline(number).params(keys[number], sample)
        return [self.pipeline(number).params(key, sample) for number, key in enumerate(keys)]

    def replay(self, sample: Any, params: Sequence[Any], *, view: int | None = None, info: Any = None) -> Any:
        """Apply parameters that ``params`` returned before, and return the view, or the sample with all its views.

        Args:
            sample: an array, or a dict of targets.
            params: what ``params`` returned, with the same `view`.
            view: the number of one view, from 0.
            info: see `Compose.replay`.

        Raises:
            TypeError: the pipeline of a view is neither a Compose nor a Transform.
            ValueError: there is no such view, `params` are of another number of views, or a pipeline has no transform of a name
                in them.
        """
        if view is not None:
            return self.pipeline(self._number(view)).replay(sample, params, info=info)
        records = list(params)
        if len(records) != len(self.pipelines):
            raise ValueError(
                f"params must have a list for each of the {len(self.pipelines)} views, got {len(records)}: pass what params() "
                "returned, or view= for the list of one view"
            )
        views = [
            self.pipeline(number).replay(sample, record, info=info) for number, record in enumerate(records)
        ]
        return joined(sample, views, self.labels, arrange=self.arranged)

    def arranged(self, views: Sequence[Any]) -> Any:
        """Return the views of a part of the sample as one: a tuple."""
        return tuple(views)

    def pipeline(self, view: int) -> Compose:
        """Return the pipeline of a view as a Compose. Numbers beyond the last view begin again with the first pipeline.

        Raises:
            TypeError: it is code of your own, which is neither a Compose nor a Transform.
        """
        pipeline = self.pipelines[view % len(self.pipelines)]
        if isinstance(pipeline, Compose):
            return pipeline
        if isinstance(pipeline, Transform):
            return Compose([pipeline])
        raise TypeError(
            f"view {view} is made by {code_name(pipeline)}, whose draws are only known after a call: use a Compose or a Transform"
        )

    def options(self) -> dict[str, Any]:
        """Return the arguments other than the pipelines: there are none."""
        return {}

    def __len__(self) -> int:
        return len(self.pipelines)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "pipelines":
            raise AttributeError("pipelines of Views cannot be set: make other Views")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Views) and self.pipelines == other.pipelines

    def __hash__(self) -> int:
        return hash(self.pipelines)

    def __repr__(self) -> str:
        return f"Views([{', '.join(map(repr, self.pipelines))}])"

    def tables(self) -> str:
        """Return the HTML tables of the pipelines, one for each view."""
        return "".join(
            pipeline_table(self.pipeline(number), f"view {number}")
            if isinstance(pipeline, Compose | Transform)
            else table(f"view {number}", ("transform",), [(repr(pipeline),)])
            for number, pipeline in enumerate(self.pipelines)
        )

    _repr_html_ = tables  # for notebooks

    def __reduce__(self) -> tuple[Any, ...]:
        return Views, (self.pipelines,)

    def _number(self, view: int) -> int:
        return checked_int(
            "view", view, 0, len(self.pipelines), "pass the number of one of the views, from 0"
        )


def keys_of_views(key: SampleKey, count: int) -> list[SampleKey]:
    """Return the keys of `count` views of a sample, numbered from the view of its own key times `count`.

    Example:
        >>> [key.view for key in keys_of_views(SampleKey(42, 3, 7, view=2), 3)]
        [6, 7, 8]
    """
    first = key.view * count
    return [
        SampleKey(key.seed, key.epoch, key.index, occurrence=key.occurrence, view=view, call=key.call)
        for view in range(first, first + count)
    ]


def joined(
    parts: Any,
    views: Sequence[Any],
    labels: Iterable[str] = (),
    *,
    in_lists: bool = True,
    arrange: Callable[[list[Any]], Any] = tuple,
) -> Any:
    """Return one sample from its views: a tuple of arrays, or a dict in which each augmented part is a tuple.

    Args:
        parts: the sample, an array or a dict of targets.
        views: its views, of the same form.
        labels: the entries besides the targets that differ between views.
        in_lists: whether each mask of a list has its views, since all views have the same masks.
        arrange: combines the views of a part.
    """
    if not isinstance(parts, dict):
        return arrange(list(views))
    varied = {*TARGETS, *labels}
    result = {k: arrange([view[k] for view in views]) if k in varied else v for k, v in parts.items()}
    if in_lists and isinstance(parts.get("masks"), list):
        result["masks"] = list(zip(*result["masks"], strict=True))
    return result


def _checked(pipelines: Any) -> tuple[Any, ...]:
    """Return the pipelines of several views, or raise an error that says what is wrong with them."""
    is_list = isinstance(pipelines, Iterable) and not isinstance(pipelines, _NO_LISTS)
    if callable(pipelines) or not is_list:
        raise TypeError(
            f"views must be a list with a pipeline for each view, got {pipelines!r}: pass [weak, strong], or the number of views "
            "and one pipeline as augment="
        )
    found = tuple(pipelines)
    checked_int("the number of views", len(found), 1, 2**16, "pass a list with a pipeline for each view")
    for number, pipeline in enumerate(found):
        if isinstance(pipeline, Views):
            raise TypeError(
                f"views[{number}] is Views itself: put its pipelines into the one list, [*views.pipelines, ...]"
            )
        if not callable(pipeline) or isinstance(pipeline, type):
            raise TypeError(
                f"views[{number}] must be a Compose or a Transform, got {pipeline!r}: pass a pipeline, Compose([]) for a view without "
                "augmentation"
            )
    return found


def _ops_of(pipeline: Any) -> tuple[int, ...]:
    """Return the streams that a pipeline can draw from; none for other code."""
    if not isinstance(pipeline, Compose | Transform):
        return ()
    return pipeline.bind(Namer()).ops
