"""Flows of an ImageDataGenerator as bases."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe.reading import walk, warn
from seedsafe_keras.base import PAIRS
from seedsafe_keras.conversion.pipeline import convert

__all__ = ["FlowSamples", "check_flow", "convert_flow"]

_WAY_OUT: Final = (
    "pass convert=True, which reads the flow's images and augments them here, or augment samples of your own, "
    "AugmentedSequence(samples, seedsafe_keras.convert(generator), seed=..., batch_size=..., shuffle=True), or pass shuffle=False "
    "and no seed to the flow and bridge=True here"
)


class _Untransformed:
    """Takes the place of an ImageDataGenerator, and leaves images as they are."""

    def get_random_transform(self, shape: Any, seed: Any = None) -> None:
        """Draw nothing."""

    def apply_transform(self, image: Any, parameters: None) -> Any:
        """Return the image."""
        return image

    def standardize(self, image: Any) -> Any:
        """Return the image."""
        return image


class FlowSamples:
    """The samples of a flow by their positions, as the flow reads them but without its generator's transforms.

    Args:
        flow: the result of ``flow``, ``flow_from_directory`` or ``flow_from_dataframe``. It is not changed.
    """

    def __init__(self, flow: Any) -> None:
        plain = copy.copy(flow)
        plain.image_data_generator = _Untransformed()
        for name in ("lock", "index_generator"):  # they cannot be sent to a process, and nobody uses them
            vars(plain).pop(name, None)
        vars(self)["flow"] = plain

    def __len__(self) -> int:
        return int(self.flow.n)

    def __getitem__(self, index: int) -> Any:
        batch = self.flow._get_batches_of_transformed_samples(np.array([index]))
        return tuple(part[0] for part in batch) if isinstance(batch, tuple) else batch[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "flow":
            raise AttributeError(name)
        return getattr(self.flow, name)


class _Pairs:
    """The samples of an image's flow and a mask's, each augmented by its own generator's pipeline with the sample's key.

    Equal transforms have equal names in both pipelines, so they draw the same numbers, as with one seed in Keras.
    """

    def __init__(self, flows: Sequence[Any]) -> None:
        self.samples = [FlowSamples(flow) for flow in flows]
        self.pipelines = [convert(flow.image_data_generator) for flow in flows]

    def __len__(self) -> int:
        return len(self.samples[0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        key = ss.current_key()
        return tuple(
            pipeline(samples[index], key=key)
            for pipeline, samples in zip(self.pipelines, self.samples, strict=True)
        )


def convert_flow(base: Any, augment: Any, batch_size: Any) -> tuple[Any, ss.Compose | None, Any, bool]:
    """Return a flow's samples, its generator as a pipeline, its batches' size, if none is given, and whether it shuffles.

    Two flows with one seed, ``(image_flow, mask_flow)``, give pairs that are augmented already, and no pipeline.

    Raises:
        TypeError: the base is not a flow, or two.
        ValueError: there is an augmentation as well, or a flow does more than to read images and transform them, or two do
            not go together.
    """
    if augment is not None:
        raise ValueError(
            f"convert=True takes the pipeline from the flow's generator, got augment={augment!r} as well: leave one of them out"
        )
    flows = list(base) if type(base) in (tuple, list) and all(map(_is_flow, base)) else [base]
    for flow in flows:
        _check_convertible(flow)
    first = flows[0]
    size = first.batch_size if batch_size is None else batch_size
    if len(flows) == 1:
        return FlowSamples(first), convert(first.image_data_generator), size, first.shuffle
    _check_pair(flows)
    return _Pairs(flows), None, size, first.shuffle


def _is_flow(base: Any) -> bool:
    return hasattr(base, "image_data_generator") and hasattr(base, "index_generator")


def _check_pair(flows: list[Any]) -> None:
    """Raise a ValueError for flows that would not give an image and its mask."""
    for name in ("n", "seed", "shuffle", "batch_size"):
        values = [getattr(flow, name) for flow in flows]
        if values != values[:1] * len(values):
            raise ValueError(
                f"flows of images and masks must have the same {name}, got {values}: make them with one {name}, so that they "
                "stay together"
            )
    if flows[0].seed is None and (
        flows[0].shuffle or any(draws(flow.image_data_generator) for flow in flows)
    ):
        raise ValueError(
            "flows of images and masks must have one seed=, got None, so that in Keras too they stay together: pass seed=1 to each"
        )
    labelled = [flow for flow in flows if _has_labels(flow)]
    if labelled:
        raise ValueError(
            "flows of images and masks must have no labels: pass class_mode=None to flow_from_directory, and the images alone "
            "to flow"
        )


def _has_labels(flow: Any) -> bool:
    return getattr(flow, "y", None) is not None or getattr(flow, "class_mode", None) is not None


def _check_convertible(base: Any) -> None:
    """Raise an error for a base that `convert_flow` cannot take the place of."""
    if not _is_flow(base):
        way_out = "leave convert out, and pass augment=seedsafe_keras.convert(...) for layers"
        if hasattr(base, "__next__") or isinstance(base, tuple | list):
            way_out = PAIRS
        raise TypeError(
            f"convert=True needs a flow of an ImageDataGenerator, got {type(base).__name__}: {way_out}"
        )
    if getattr(base, "save_to_dir", None):
        raise ValueError(
            f"the flow saves its images, save_to_dir={base.save_to_dir!r}, which convert=True does not: leave save_to_dir out"
        )
    if getattr(base, "class_mode", None) == "input":
        raise ValueError(
            "the flow returns each augmented image as its own label, class_mode='input', which convert=True does not: pass "
            "class_mode=None, and the images twice in the model's train_step"
        )
    if len(getattr(base, "x_misc", ())):
        raise ValueError(
            "the flow has further inputs besides the images: pass samples of your own, AugmentedSequence(samples, "
            "seedsafe_keras.convert(generator), ...), each ({'image': image, 'more': more}, label)"
        )


def check_flow(base: Any, bridged: bool, on_unkeyed: str) -> None:
    """Raise a ValueError for a flow whose samples depend on more than their key.

    Args:
        base: the base of an AugmentedSequence, which may be a flow or hold some, as a Sequence of images and masks does.
        bridged: whether generators follow the key while it is read.
        on_unkeyed: whether to raise the error for a base that holds flows, to warn instead, or to allow them. What they draw besides
            is told when they are read.
    """
    for flow in filter(_is_flow, walk(base, into_keyed=False)):
        is_base = flow is base
        fault = _fault(flow, bridged or not is_base)
        if fault is None or (on_unkeyed == "allow" and not is_base):
            continue
        holds, way_out = ("is", _WAY_OUT) if is_base else ("holds", PAIRS)
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
    if not bridged and draws(flow.image_data_generator):
        return "draws its transforms from NumPy's global generator"
    return None


def draws(generator: Any) -> bool:
    """Return whether an ImageDataGenerator draws anything that changes an image."""
    ranges = (
        "rotation_range",
        "width_shift_range",
        "height_shift_range",
        "shear_range",
        "channel_shift_range",
    )
    return (
        any(_is_set(getattr(generator, name, 0)) for name in ranges)
        or tuple(generator.zoom_range) != (1, 1)
        or bool(generator.horizontal_flip or generator.vertical_flip)
        or generator.brightness_range is not None
    )


def _is_set(value: Any) -> bool:
    return bool(value) if not hasattr(value, "__len__") else len(value) > 0
