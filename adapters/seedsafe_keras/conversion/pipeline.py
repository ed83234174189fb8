"""convert: Keras's layers as a seedsafe pipeline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_keras.base import WHOLE_FLOWS
from seedsafe_keras.conversion.layers import LAYERS, UnlikeError
from seedsafe_keras.conversion.pixels import AsFloat

__all__ = ["convert"]


def convert(transform: Any) -> ss.Compose:
    """Return Keras's layers that augment images as a seedsafe pipeline.

    Images have their channels last. The parameters have the same distributions as in Keras. OpenCV moves the pixels instead
    of the backend, so interpolated values may differ by a few levels. What has no counterpart is bridged: called as before, with
    its generators keyed. The argument is not changed.

    Args:
        transform: a layer such as ``keras.layers.RandomFlip``, a ``keras.Sequential`` of layers, or a list of them.

    Raises:
        TypeError: the argument is something else, such as an ImageDataGenerator or its flow, which are bridged.
        ValueError: a layer mixes the images of a batch.

    Example:
        >>> import keras
        >>> [type(member).__name__ for member in convert(keras.layers.RandomFlip("horizontal")).transforms]
        ['AsFloat', 'HorizontalFlip']
    """
    if hasattr(transform, "image_data_generator") or hasattr(transform, "preprocessing_function"):
        raise TypeError(
            f"transform must be Keras's layers, got {type(transform).__name__}, which is bridged: {WHOLE_FLOWS}; or, for samples, pass "
            "seedsafe.bridge(lambda image: generator.standardize(generator.random_transform(image.astype('float32')))) as augment="
        )
    layers = _layers(transform)
    named = zip(layers, _names(layers), strict=True)
    return ss.Compose([AsFloat(), *(member for layer, name in named for member in _of_layer(layer, name))])


def _layers(thing: Any) -> list[Any]:
    """Return the layers of nested lists and Sequentials."""
    if isinstance(thing, list | tuple):
        return [layer for part in thing for layer in _layers(part)]
    if type(thing).__name__ == "Sequential" and _is_keras(thing):
        return [layer for part in thing.layers for layer in _layers(part)]
    if not _is_keras(thing) or not callable(thing):
        raise TypeError(
            f"transform must be a Keras layer, a Sequential or a list of layers, got {thing!r}: put "
            "seedsafe.bridge around other callables"
        )
    return [thing]


def _is_keras(thing: Any) -> bool:
    return any(map(_is_of_keras, type(thing).__mro__))


def _is_of_keras(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("keras", "tf_keras")


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
