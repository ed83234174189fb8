"""Bases of an AugmentedSequence: length and batch size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, SupportsIndex

from seedsafe import SampleKey
from seedsafe.reading import Targets, checked_int, count, entered, walk, warn
from seedsafe_keras import framework as frameworks

__all__ = [
    "WHOLE_FLOWS",
    "batch_size_of",
    "check_flow",
    "check_together",
    "length",
    "not_converted",
    "uncalled_hooks",
]

WHOLE_FLOWS: Final = (
    "make its flow with shuffle=False and no seed, and pass AugmentedSequence(generator.flow(images, labels, shuffle=False), "
    "seed=..., shuffle=True, bridge=True)"
)
"""What to write for an ImageDataGenerator."""

_PAIRS: Final = (
    'for images and masks, pass AugmentedSequence(list(zip(images, masks)), augment, targets=("image", "mask"), seed=..., '
    "batch_size=...) with an augmentation of seedsafe, which moves both alike"
)
"""What to write instead of an iterator over batches, such as ``zip(image_flow, mask_flow)``, or of two flows."""


def not_converted(base: Any) -> ValueError:
    """Return the error for convert=True, an option of earlier releases."""
    several = hasattr(base, "__next__") or isinstance(base, tuple | list)
    flow = f"a flow, {type(base).__name__}: {WHOLE_FLOWS}"
    other = f"{type(base).__name__}: " + (
        _PAIRS if several else "pass augment=seedsafe_keras.convert(layers)"
    )
    return ValueError(
        f"convert=True is not an option of a sequence any more, got it with {flow if _is_flow(base) else other}"
    )


def length(base: Any) -> int:
    """Return the number of a base's ready batches or samples."""
    units = getattr(base, "num_batches", None) if frameworks.framework_of(base) else None
    if units is None:
        try:
            units = len(base)
        except TypeError:
            way_out = _PAIRS if hasattr(base, "__next__") else "define __len__ on it, the length of an epoch"
            raise TypeError(f"base must have a length, got {type(base).__name__}: {way_out}") from None
    if units < 1:
        raise ValueError(f"base must have at least one sample or batch, got {units}: check the data")
    return int(units)


def batch_size_of(base: Any, batch_size: SupportsIndex | None, targets: Targets, key: SampleKey) -> int:
    """Return the batch size argument or, without one, the size of the base's ready batches; their first may be read, at a key."""
    return _ready_size(base, targets, key) if batch_size is None else _sample_size(base, batch_size)


def _ready_size(base: Any, targets: Targets, key: SampleKey) -> int:
    """Return the size of a base's ready batches, from its attribute or its first batch."""
    if frameworks.framework_of(base) is None:
        raise TypeError(
            f"batch_size is missing, and {type(base).__name__} is not a Keras Sequence of ready batches: pass the number of "
            "samples in a batch"
        )
    size = getattr(base, "batch_size", None)
    if size is not None:
        return checked_int("base.batch_size", size, 1, 2**48, "set it to the size of the largest batch")
    with entered(None, key=key):
        return max(count(base[0], targets), 1)


def _sample_size(base: Any, batch_size: SupportsIndex) -> int:
    """Return the batch size argument for a base of samples."""
    if frameworks.framework_of(base) is not None:
        raise ValueError(
            f"batch_size={batch_size!r} needs a base of samples, but {type(base).__name__} is a Keras Sequence of ready "
            "batches: leave it out"
        )
    return checked_int("batch_size", batch_size, 1, 2**48, "pass the number of samples in a batch")


def uncalled_hooks(base: Any) -> Iterator[str]:
    """Yield the names of the epoch hooks that a Sequence's own class defines. Keras does not call those of a base."""
    for hook in ("on_epoch_end", "on_epoch_begin"):
        defined = getattr(type(base), hook, None)
        if defined is not None and defined.__module__.partition(".")[0] not in ("keras", "tf_keras"):
            yield hook


def check_together(*, batch_size: Any, ids: Any, on_error: str, epoch: Any, repeat: bool) -> None:
    """Raise a ValueError for options that cannot be used together."""
    if repeat and epoch is not None:
        raise ValueError(
            f"repeat=True counts the epochs by itself, got epoch={epoch!r} as well: leave one of them out"
        )
    if batch_size is None and (ids is not None or on_error == "replace"):
        option = "on_error" if ids is None else "ids"
        raise ValueError(
            f"{option} needs a base of samples, but the base has ready batches: pass the samples and batch_size="
        )


def _is_flow(base: Any) -> bool:
    return hasattr(base, "image_data_generator") and hasattr(base, "index_generator")


def check_flow(base: Any, bridged: bool, on_unkeyed: str) -> None:
    """Raise a ValueError for a flow whose samples depend on more than their key.

    Args:
        base: the base of an AugmentedSequence, which may be a flow or hold some, as a Sequence of images and masks does.
        bridged: whether generators follow the key while it is read.
        on_unkeyed: whether to raise the error for a base that holds flows, to warn instead, or to allow them. Their other draws
            are reported when they are read.
    """
    for flow in filter(_is_flow, walk(base, into_keyed=False)):
        is_base = flow is base
        fault = _fault(flow, bridged or not is_base)
        if fault is None or (on_unkeyed == "allow" and not is_base):
            continue
        holds, way_out = ("is", WHOLE_FLOWS) if is_base else ("holds", _PAIRS)
        text = (
            f"base {holds} a flow of an ImageDataGenerator, {type(flow).__name__}, which {fault}, so its batches would differ with the "
            f"workers: {way_out}"
        )
        if is_base or on_unkeyed == "raise":
            raise ValueError(text)
        warn(text)


def _fault(flow: Any, bridged: bool) -> str | None:
    """Return why a flow's samples depend on more than their key, or None."""
    if getattr(flow, "shuffle", False):
        return "shuffles by NumPy's global generator (shuffle=True, the default of flow, flow_from_directory and flow_from_dataframe)"
    if getattr(flow, "seed", None) is not None:
        return (
            f"seeds NumPy's global generator with a count of the batches that it has read (seed={flow.seed})"
        )
    if not bridged and _draws(flow.image_data_generator):
        return "draws its transforms from NumPy's global generator"
    return None


def _draws(generator: Any) -> bool:
    """Return whether an ImageDataGenerator draws anything that changes an image."""
    ranges = (value for name, value in vars(generator).items() if name.endswith("_range"))
    return bool(generator.horizontal_flip or generator.vertical_flip) or not all(map(_is_neutral, ranges))


def _is_neutral(value: Any) -> bool:
    """Return whether a range changes no image: none at all, 0, or a zoom from 1 to 1."""
    return tuple(value) in ((), (1, 1)) if hasattr(value, "__len__") else not value
