"""convert: Keras's image transforms as a seedsafe pipeline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_keras.conversion.layers import LAYERS, MODES, UnlikeError
from seedsafe_keras.conversion.pixels import (
    AsFloat,
    BrightnessByPillow,
    ChannelShift,
    GeneratorAffine,
    Standardize,
)

__all__ = ["convert"]

_ORDERS: Final = {0: "nearest", 1: "bilinear"}


def convert(transform: Any, *, stats: ss.ChannelStats | None = None) -> ss.Compose:
    """Return an ImageDataGenerator, or Keras's layers that augment images, as a seedsafe pipeline.

    Images have their channels last. The parameters have the same distributions as in Keras. OpenCV moves the pixels instead
    of SciPy or the backend, so interpolated values may differ by a few levels. What has no counterpart is bridged: called as before, with
    its generators keyed. A generator's ``preprocessing_function`` is. The argument is not changed.

    Args:
        transform: an ImageDataGenerator (in Keras 3 it is ``tf.keras.preprocessing.image.ImageDataGenerator`` alone), a layer
            such as ``keras.layers.RandomFlip``, a ``keras.Sequential`` of layers, or a list of them.
        stats: statistics of the training images, from `seedsafe.channel_stats`, for ``featurewise_center`` and
            ``featurewise_std_normalization`` of a generator that was not fitted. `rescale` is applied to them.

    Raises:
        TypeError: the argument is something else, such as a flow.
        ValueError: a generator has ``data_format="channels_first"``, or needs statistics and has none; or a layer mixes the
            images of a batch.

    Example:
        >>> class Generator:  # has the attributes of an ImageDataGenerator
        ...     rotation_range, horizontal_flip, vertical_flip = 20, True, False
        ...     width_shift_range = height_shift_range = shear_range = channel_shift_range = 0
        ...     zoom_range, brightness_range, rescale, preprocessing_function = [1, 1], None, 1 / 255, None
        ...     fill_mode, cval, interpolation_order, data_format = "nearest", 0.0, 1, "channels_last"
        ...     featurewise_center = featurewise_std_normalization = zca_whitening = False
        ...     samplewise_center = samplewise_std_normalization = False
        >>> [type(member).__name__ for member in convert(Generator()).transforms]
        ['AsFloat', 'GeneratorAffine', 'HorizontalFlip', 'Standardize']
    """
    if hasattr(transform, "image_data_generator"):
        raise TypeError(
            f"transform must be an ImageDataGenerator, got its flow {type(transform).__name__}: pass the generator, and augment the "
            "samples with AugmentedSequence(samples, pipeline, seed=..., batch_size=...)"
        )
    if hasattr(transform, "rotation_range") and hasattr(transform, "preprocessing_function"):
        return ss.Compose(_of_generator(transform, stats))
    layers = _layers(transform)
    named = zip(layers, _names(layers), strict=True)
    return ss.Compose([AsFloat(), *(member for layer, name in named for member in _of_layer(layer, name))])


def _of_generator(generator: Any, stats: ss.ChannelStats | None) -> list[ss.Transform]:
    if generator.data_format != "channels_last":
        raise ValueError(
            f"data_format must be 'channels_last', got {generator.data_format!r}: make the generator with it, and images (H, W, C)"
        )
    whole = _standardize(generator, stats)
    overridden = _is_overridden(generator, "random_transform", "get_random_transform", "apply_transform")
    if overridden or generator.fill_mode not in MODES or generator.interpolation_order not in _ORDERS:
        moving = [
            ss.bridge(generator.random_transform, call="array", returns="same", name="random_transform")
        ]
        return [AsFloat(), *moving, *whole]
    return [AsFloat(), *_affine(generator), *_after(generator), *whole]


def _is_overridden(generator: Any, *methods: str) -> bool:
    """Return whether a generator has any of the methods from elsewhere than Keras's own class."""
    found = [
        next(
            (
                scope[name]
                for scope in (vars(generator), *map(vars, type(generator).__mro__))
                if name in scope
            ),
            None,
        )
        for name in methods
    ]
    return any(method is not None and not _is_of_keras(method) for method in found)


def _is_of_keras(thing: Any) -> bool:
    return str(getattr(thing, "__module__", None)).partition(".")[0] in ("keras", "tf_keras")


def _affine(generator: Any) -> list[ss.Transform]:
    down, across = _amounts(generator.height_shift_range), _amounts(generator.width_shift_range)
    smallest, largest = map(float, generator.zoom_range)
    zoom = smallest, largest
    if not (generator.rotation_range or down or across or generator.shear_range or zoom != (1.0, 1.0)):
        return []
    return [
        GeneratorAffine(
            float(generator.rotation_range),
            height_shift=down,
            width_shift=across,
            in_shares=(_is_share(generator.height_shift_range), _is_share(generator.width_shift_range)),
            lean=float(generator.shear_range),
            zoom=zoom,
            interpolation=_ORDERS[generator.interpolation_order],
            mode=MODES[generator.fill_mode],
            fill=float(generator.cval),
        )
    ]


def _amounts(shift: Any) -> float | tuple[float, ...]:
    """Return one number for a range, or the amounts to choose from: an integer n stands for those below it."""
    if isinstance(shift, int | np.integer) and shift:
        return tuple(map(float, range(int(shift))))
    return tuple(map(float, shift)) if hasattr(shift, "__len__") else float(shift)


def _is_share(shift: Any) -> bool:
    return bool(np.max(shift) < 1)


def _after(generator: Any) -> list[ss.Transform]:
    members: list[ss.Transform] = []
    if generator.channel_shift_range:
        members.append(ChannelShift(float(generator.channel_shift_range)))
    if generator.horizontal_flip:
        members.append(ss.HorizontalFlip())
    if generator.vertical_flip:
        members.append(ss.VerticalFlip())
    if generator.brightness_range is not None:
        low, high = map(float, generator.brightness_range)
        members.append(BrightnessByPillow((low, high)))
    return members


def _standardize(generator: Any, stats: ss.ChannelStats | None) -> list[ss.Transform]:
    members: list[ss.Transform] = []
    if generator.zca_whitening or _is_overridden(generator, "standardize"):
        return [
            ss.bridge(
                generator.standardize, call="array", values_only=True, returns="same", name="standardize"
            )
        ]
    if generator.preprocessing_function is not None:
        members.append(ss.bridge(generator.preprocessing_function, call="array", values_only=True))
    whole = Standardize(
        None if not generator.rescale else float(generator.rescale),
        generator.samplewise_center,
        generator.samplewise_std_normalization,
        _statistic(generator, stats, "mean") if generator.featurewise_center else None,
        _statistic(generator, stats, "std") if generator.featurewise_std_normalization else None,
    )
    return [*members, whole] if whole != Standardize() else members


def _statistic(generator: Any, stats: ss.ChannelStats | None, name: str) -> tuple[float, ...]:
    fitted = getattr(generator, name)
    if fitted is not None:
        return tuple(map(float, np.ravel(fitted)))
    if stats is None:
        raise ValueError(
            "the generator standardizes by the data's mean, but was not fitted: call generator.fit(images), or pass "
            "stats=seedsafe.channel_stats(images)"
        )
    factor = float(generator.rescale or 1)
    return tuple(factor * float(value) for value in getattr(stats, name))


def _layers(thing: Any) -> list[Any]:
    """Return the layers of nested lists and Sequentials."""
    if isinstance(thing, list | tuple):
        return [layer for part in thing for layer in _layers(part)]
    if type(thing).__name__ == "Sequential" and _is_keras(thing):
        return [layer for part in thing.layers for layer in _layers(part)]
    if not _is_keras(thing) or not callable(thing):
        raise TypeError(
            f"transform must be an ImageDataGenerator, a Keras layer, a Sequential or a list of layers, got {thing!r}: put "
            "seedsafe.bridge around other callables"
        )
    return [thing]


def _is_keras(thing: Any) -> bool:
    return any(map(_is_of_keras, type(thing).__mro__))


_MIXING: Final = ("MixUp", "CutMix")


def _names(layers: list[Any]) -> Iterator[str]:
    """Yield a name for each layer. Keras numbers its own by the layers that the process has made, so they are numbered anew."""
    counts: Counter[str] = Counter()
    for layer in layers:
        by_class = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(layer).__name__).lower()
        name = by_class if re.fullmatch(rf"{by_class}(_\d+)?", layer.name) else layer.name
        counts[name] += 1
        yield name if counts[name] == 1 else f"{name}_{counts[name] - 1}"


def _of_layer(layer: Any, name: str) -> list[ss.Transform]:
    kind = type(layer).__name__
    if kind in _MIXING:
        raise ValueError(
            f"{kind} mixes the images of a batch, and a pipeline gets one image at a time: put seedsafe.{kind}() after "
            "the converted layers, Compose([*convert(layers).transforms, ...])"
        )
    build: Callable[..., list[ss.Transform]] | None = LAYERS.get(kind)
    if build is not None and _is_plain(layer):
        try:
            return build(layer)
        except UnlikeError:
            pass
    return [ss.bridge(_Training(layer), call="array", name=name)]


def _is_plain(layer: Any) -> bool:
    """Return whether a layer is Keras's own, with channels last and float32."""
    channels = getattr(layer, "data_format", "channels_last")
    return (
        _is_of_keras(type(layer)) and channels in ("channels_last", None) and layer.compute_dtype == "float32"
    )


class _Training:
    """A layer, or a model, which takes a batch, called as in training."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        self.takes_batch = any(cls.__name__ == "Model" for cls in type(layer).__mro__)

    def __call__(self, image: Any) -> Any:
        if self.takes_batch:
            return np.asarray(self.layer(image[None], training=True))[0]
        return np.asarray(self.layer(image, training=True))
