"""Compose: a pipeline of transforms, without state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, TypeVar

import numpy as np

from seedsafe.ground.info import Array, described, named_parts
from seedsafe.keys.ambient import claim, current_key
from seedsafe.keys.key import SampleKey, checked_int
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.batch import Many, stacked
from seedsafe.pipeline.bound import Bound
from seedsafe.pipeline.boxes import Boxes
from seedsafe.pipeline.html import pipeline_table
from seedsafe.pipeline.keypoints import Keypoints
from seedsafe.pipeline.naming import Namer, Stream
from seedsafe.pipeline.node import Chain, Replay, checked_key, run, trace
from seedsafe.pipeline.option import store
from seedsafe.pipeline.primitive import declared
from seedsafe.pipeline.rules import image_info
from seedsafe.pipeline.serial import Saved
from seedsafe.pipeline.state import Applied
from seedsafe.pipeline.transform import Transform

__all__ = ["Compose", "members"]

Part = TypeVar("Part", Boxes, Keypoints)

_ARGUMENTS: Final = frozenset(("transforms", "boxes", "keypoints", "channels", "after"))
"""The attributes of a Compose that cannot be set, because calls would not follow."""


@declared
class Compose(Saved):
    """Apply transforms one after another: augmentation as a function of the sample and its key.

    The sample is an array or a dict. The entries ``image``, ``mask``, ``video``, ``keypoints``, ``boxes`` and ``audio`` of a dict
    are transformed together, and all others pass through. The sample is never changed, and the result shares no memory with
    it. Arrays of the result are C-contiguous and writable. An empty Compose returns the sample itself.

    Args:
        transforms: Transforms and Composes, in the order in which they are applied.
        boxes: the format of the sample's boxes, and which boxes to keep; see Boxes. Boxes have no default format:
            without this, a pipeline that moves pixels refuses them. It holds for the whole pipeline, wherever this Compose is
            in it.
        keypoints: how to handle keypoints outside the image, and pairs when a transform mirrors it; see Keypoints. By default
            all are kept unchanged.
        channels: "last" says that images are (H, W, C) even if one looks like (C, H, W). Without it, a pipeline that
            moves pixels refuses an array whose first side is 1, 3 or 4, whose other sides are at least 16 pixels, and whose
            last is not 1, 3 or 4.
        after: the classes of the unnamed transforms that run before these, one entry for each transform; unnamed transforms of such
            a class are numbered after them. `split` passes it.

    Raises:
        TypeError: one of transforms is not a Transform, boxes is not a Boxes, keypoints is not a Keypoints, or after is not a list of
            strings.
        ValueError: two transforms have the same name or stream, a transform needs the channels last after ToCHW has put them
            first, two Composes have different boxes or keypoints, or a Compose inside a bridge takes them in a different format.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> augment = Compose([ss.RandomCrop(2), ss.HorizontalFlip(p=0.5)])
        >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
        >>> augment(image, key=SampleKey(42, 3, 1234)).tolist()
        [[6, 5], [10, 9]]
        >>> augment.params(SampleKey(42, 3, 1234), image.shape)[0]
        Applied(name='RandomCrop', params=Corner(top=1, left=1))
    """

    __slots__ = (
        "_chain",
        "_idle",
        "_many",
        "_root",
        "_rules",
        "_streams",
        "after",
        "boxes",
        "channels",
        "keypoints",
        "transforms",
    )

    described_as = "a Compose"

    transforms: tuple[Transform | Compose, ...]
    boxes: Boxes | None
    keypoints: Keypoints | None
    channels: Literal["last"] | None
    after: tuple[str, ...] | None

    def __init__(
        self,
        transforms: Iterable[Transform | Compose] = (),
        *,
        boxes: Boxes | None = None,
        keypoints: Keypoints | None = None,
        channels: Literal["last"] | None = None,
        after: Iterable[str] | None = None,
    ) -> None:
        if channels not in (None, "last"):
            raise ValueError(
                f'channels must be "last" or None, got {channels!r}: pass "last" if images are (H, W, C)'
            )
        store(
            self,
            transforms=members("transforms", transforms),
            boxes=_part("boxes", boxes, Boxes),
            keypoints=_part("keypoints", keypoints, Keypoints),
            channels=channels,
            after=_classes(after),
        )
        bound = Bound(self)
        self._chain, self._root = bound.chain, bound.root
        self._rules, self._streams = bound.rules, bound.streams
        self._idle = not (self.transforms or self._rules.some)
        self._many: Many | None = None

    def bind(self, namer: Namer) -> Chain:
        """Bind the transforms to their streams in a pipeline."""
        namer.rules.add(self.boxes, self.keypoints)
        namer.rules.look(last=self.channels is not None)
        if self.after:
            namer.count_from(self.after)
        return Chain(namer.bind(self.transforms))

    @property
    def labels(self) -> tuple[str, ...]:
        """The entries of a sample with labels, of boxes and keypoints or of the sample itself."""
        return self._rules.labels

    def __call__(self, sample: Any = None, *, key: SampleKey | None = None, **parts: Any) -> Any:
        """Return the augmented sample.

        Args:
            sample: an array, or a dict of targets.
            parts: the targets by name, instead of a dict: ``augment(image=image, mask=mask)["image"]``.
            key: the sample's key; see SampleKey. You may leave it out while an AugmentedDataset or AugmentedSequence reads its
                base, as in a dataset's ``__getitem__``. Each call then takes the key of that sample with a number of its own.

        Raises:
            TypeError: there is no key outside a read, or the sample is not an array or a dict of arrays.
            ValueError: a transform cannot be applied to the sample.
        """
        if parts:
            sample = named_parts(sample, parts, self.labels)
        # Nothing to do: the result is the sample itself.
        if self._idle and isinstance(current_key() if key is None else key, SampleKey):
            return sample
        return run(self._root, sample, key, self._rules)

    def batch(self, images: Any, keys: ManyKeys | Sequence[SampleKey]) -> Array:
        """Return a batch of augmented images: the bytes of ``np.stack([self(image, key=key) for …])``, in less time.

        If all transforms are the library's own, small images run at once, transform by transform. For images of 32 by 32 pixels
        this takes about a third of the time. All other images run one by one.

        Args:
            images: N images, an array (N, H, W) or (N, H, W, C) or a list, of any dtype that the pipeline takes. They are
                not changed.
            keys: the keys of the N images.

        Returns:
            (N, …), of the shape and dtype that the pipeline gives one image. The array is new, C-contiguous and writable.

        Raises:
            TypeError: keys are not SampleKeys, or an image is not an array.
            ValueError: there are no images, or not as many as keys; a transform cannot be applied to an image; or the
                augmented images differ in shape or dtype.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> augment = ss.Compose([ss.RandomCrop(2), ss.HorizontalFlip()])
            >>> keys = [SampleKey(42, epoch=3, index=index) for index in range(64)]
            >>> augment.batch(np.zeros((64, 4, 4, 3), np.uint8), keys).shape
            (64, 2, 2, 3)
        """
        count = len(images)
        if not isinstance(keys, ManyKeys):
            keys = list(map(checked_key, keys))
        if not count or count != len(keys):
            raise ValueError(
                f"there must be as many keys as images, at least one, got {len(keys)} for {count}: pass a key for each image"
            )
        whole = self.many.at_once(
            images, lambda: keys if isinstance(keys, ManyKeys) else ManyKeys(keys), np.empty
        )
        if whole is not None:
            return whole
        each = map(keys.key, range(count)) if isinstance(keys, ManyKeys) else keys
        result = [self(image, key=key) for image, key in zip(images, each, strict=True)]
        return stacked(result)

    @property
    def many(self) -> Many:
        """The pipeline for many equal images at once."""
        if self._many is None:
            self._many = Many(self._chain, self._rules)
        return self._many

    def next_key(self) -> SampleKey:
        """Return the key that a call without a key would take in the current read, and use up its number.

        Raises:
            TypeError: this thread is not in a read.
        """
        with claim(self._root.ops) as key:
            return key

    def params(self, key: SampleKey, sample: Any) -> list[Applied]:
        """Return the parameters that the pipeline draws for a sample, without its pixels and without a log.

        Args:
            key: the sample's key.
            sample: the shape, Info or array of a sample, or a dict of these by target.

        Returns:
            One ``Applied(name, params)`` for each transform reached, in order; ``params`` is None if a transform
            did not fire.

        Raises:
            ValueError: the description lacks something that a transform needs.
        """
        return trace(self._chain, key, described(sample), self._rules)

    def replay(self, sample: Any, params: Iterable[tuple[str, Any]], *, info: Any = None) -> Any:
        """Apply parameters that ``params`` returned before, here or on another machine, and return the sample.

        Args:
            sample: an array, or a dict of targets.
            params: the list that ``params`` returned.
            info: the description of the whole sample, as ``params`` takes it, for a dict without its image (or audio).

        Raises:
            ValueError: this pipeline has no transform of a name in `params`, or a target is missing.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> augment = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc"))
            >>> drawn = augment.params(SampleKey(42, 3, 1234), (10, 20))
            >>> augment.replay({"boxes": np.array([[0, 0, 5, 5]])}, drawn, info=(10, 20))["boxes"].tolist()
            [[15.0, 0.0, 20.0, 5.0]]
        """
        infos = None if info is None else described(info)
        replayed = Replay(self._chain, self._streams, params, infos, self._rules)
        return run(
            replayed, sample, SampleKey(0, 0, 0), self._rules, None if infos is None else image_info(infos)
        )

    def show(
        self,
        sample: Any,
        *,
        seed: int = 0,
        index: int = 0,
        epochs: int | Iterable[int] = 4,
        views: int | None = None,
    ) -> Any:
        """Return a matplotlib figure of a sample and its augmentations, with masks, boxes and keypoints drawn on them.

        A notebook shows it if it is the last expression of a cell; elsewhere call its ``savefig``.

        Args:
            sample: an image (H, W) or (H, W, C), audio, or a dict of targets.
            seed: the seed of the keys.
            index: the index of the keys.
            epochs: the number of epochs, from 0, or a list of them; each is one image.
            views: the number of views of the first of these epochs, shown instead of the epochs.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: a number is out of its range, or the pipeline cannot be applied to the sample.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> augment = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip()])
            >>> figure = augment.show(np.zeros((40, 60, 3), np.uint8), epochs=2)
            >>> [axes.get_title() for axes in figure.axes]
            ['sample', 'epoch 0', 'epoch 1']
        """
        draw = import_module("seedsafe_look.show").show
        return draw(self, sample, seed=seed, index=index, epochs=epochs, views=views)

    def split(self, k: int) -> tuple[Compose, Compose]:
        """Return two pipelines that do the work of this one: its first k transforms, and the others.

        The transforms keep their names, so both draw as this pipeline does: ``tail(head(sample, key=key), key=key)`` is
        ``augment(sample, key=key)``. Put the head where the data are loaded, and the tail on the device; see
        ``seedsafe_torch.OnDevice``.

        Args:
            k: how many of ``transforms`` go into the first pipeline, in [0, len(transforms)]; a Compose among them is one.

        Raises:
            TypeError: k is not an integer.
            ValueError: k is out of its range; a transform of the second pipeline mixes samples, of which the first transforms would
                not run on the others; or it moves boxes or keypoints that are checked after the last transform alone.

        Example:
            >>> import seedsafe as ss
            >>> augment = ss.Compose([ss.HorizontalFlip(), ss.RandomCrop(2), ss.HorizontalFlip()])
            >>> head, tail = augment.split(2)
            >>> tail
            Compose([HorizontalFlip()], after=('HorizontalFlip',))
            >>> head.streams() + tail.streams() == augment.streams()
            True
        """
        count = checked_int(
            "k", k, 0, len(self.transforms) + 1, "pass how many of the transforms go into the first pipeline"
        )
        first, rest = self.transforms[:count], self.transforms[count:]
        options = self.options()
        head = Compose(first, **options)
        options["after"] = _counted_before(head, rest)
        if any(leaf.transform.channels == "to first" for leaf in head._chain.leaves()):
            # nothing after it moves boxes, and the size of the image is no longer where they look for it
            options = {name: value for name, value in options.items() if name not in ("boxes", "keypoints")}
        elif self.boxes is not None and self.boxes.out is not None:
            edges: dict[str, Any] = {"boxes": replace(self.boxes, out=None)}  # as the tail takes them
            head = Compose(first, **{**self.options(), **edges})
        tail = Compose(rest, **options)
        parts = (name for name in ("boxes", "keypoints") if name in options)
        late = [name for name in parts if not options[name].check_each_transform]
        if count and late and tail._rules.spatial:
            raise ValueError(
                f"split({count}) would cut off and drop {' and '.join(late)} between the pipelines as well, but check_each_transform=False "
                "does so after the last transform alone: cut after the last transform that moves them, or leave that option out"
            )
        if count and tail._rules.mixer is not None:
            raise ValueError(
                f"split({count}) puts a transform that mixes samples into the second pipeline, but what runs before it runs on the other "
                "samples too: cut after it"
            )
        return head, tail

    def streams(self) -> tuple[Stream, ...]:
        """Return the name and op of each stream of this pipeline."""
        return self._streams

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _ARGUMENTS:
            raise AttributeError(f"{name} of a Compose cannot be set: make another Compose with {name}=...")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Compose):
            return False
        return self.transforms == other.transforms and self.options() == other.options()

    def __hash__(self) -> int:
        return hash((self.transforms, self.boxes, self.keypoints))

    def __repr__(self) -> str:
        more = "".join(f", {name}={value!r}" for name, value in self.options().items())
        return f"Compose([{', '.join(map(repr, self.transforms))}]{more})"

    def _repr_html_(self) -> str:
        """Return the pipeline as a table, for notebooks."""
        count = len(self.transforms)
        return pipeline_table(self, f"Compose of {count} transform{'s' * (count != 1)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Compose, **self.options()), (self.transforms,)

    def watched(self, check: Callable[[Callable[[], Any]], None]) -> Compose:
        """Return a copy of this pipeline that watches the transforms that users wrote; see `Leaf.watch`."""
        twin = Compose(self.transforms, **self.options())
        for leaf in twin._chain.leaves():
            leaf.watch(check)
        return twin

    def options(self) -> dict[str, Any]:
        """Return the arguments other than the transforms, without those that are None."""
        options = ((name, getattr(self, name)) for name in ("boxes", "keypoints", "channels", "after"))
        return {name: value for name, value in options if value is not None}


def _part(name: str, value: Any, kind: type[Part]) -> Part | None:
    if value is None or isinstance(value, kind):
        return value
    raise TypeError(f"{name} must be {kind.__name__}(...), got {value!r}: pass {kind.__name__}({value!r})")


def _classes(after: Any) -> tuple[str, ...] | None:
    """Return the argument `after`: None if it is empty."""
    if after is None:
        return None
    names: tuple[Any, ...] = (
        tuple(after) if isinstance(after, Iterable) and not isinstance(after, str) else (None,)
    )
    if not all(isinstance(name, str) and name for name in names):
        raise TypeError(
            f"after must be a list of the names of classes, got {after!r}: pass the transforms to Compose, and call its split()"
        )
    return names or None


def _counted_before(head: Compose, rest: Iterable[Transform | Compose]) -> tuple[str, ...]:
    """Return the classes of unnamed transforms of `head` that `rest` has as well, one entry for each transform."""
    before, within = Namer(), Namer()
    head.bind(before)
    within.bind(rest)
    return tuple(kind for kind in before.counts.elements() if kind in within.counts)


def members(name: str, transforms: Iterable[Any]) -> tuple[Any, ...]:
    """Return the transforms of a container as a tuple, or raise an error that names the value that is not a transform."""
    if isinstance(transforms, Transform | Compose):
        raise TypeError(
            f"{name} must be a list of transforms, got one {type(transforms).__name__}: put it in a list"
        )
    if not isinstance(transforms, Iterable) or getattr(transforms, "shape", None) == ():
        raise TypeError(f"{name} must be a list of transforms, got {transforms!r}: pass [] for no transforms")
    if isinstance(transforms, set | frozenset):
        raise TypeError(
            f"{name} must be a list of transforms, got a set, which has another order in each run: pass a list"
        )
    found = tuple(transforms)
    for position, transform in enumerate(found):
        if not isinstance(transform, Transform | Compose):
            raise TypeError(
                f"{name}[{position}] must be a Transform, got {transform!r} of type {type(transform).__name__}: {_way_out(transform)}"
            )
    return found


def _way_out(value: Any) -> str:
    """Return the advice for a value that is not a transform."""
    if isinstance(value, type) and issubclass(value, Transform):
        return f"write {value.__name__}(...), the class with its arguments"
    if hasattr(value, "pipelines"):
        return "pass Views to the dataset as its augmentation, with the other transforms in each of their pipelines"
    if callable(value):
        return "put seedsafe.bridge(...) around it, or derive a class from ImageTransform, SpatialTransform, VideoTransform or AudioTransform"
    return "derive it from ImageTransform, SpatialTransform, VideoTransform or AudioTransform"
