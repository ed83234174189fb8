"""Flows of an ImageDataGenerator as bases."""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy as np

import seedsafe as ss
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


def convert_flow(base: Any, augment: Any, batch_size: Any) -> tuple[FlowSamples, ss.Compose, Any]:
    """Return a flow's samples, its generator as a pipeline, and the size of its batches, if none is given.

    Raises:
        TypeError: the base is not a flow.
        ValueError: there is an augmentation as well, or the flow does more than to read images and transform them.
    """
    if not hasattr(base, "image_data_generator") or not hasattr(base, "index_generator"):
        way_out = "leave convert out, and pass augment=seedsafe_keras.convert(...) for layers"
        if hasattr(base, "__next__") or isinstance(base, tuple | list):
            way_out = PAIRS
        raise TypeError(
            f"convert=True needs a flow of an ImageDataGenerator, got {type(base).__name__}: {way_out}"
        )
    if augment is not None:
        raise ValueError(
            f"convert=True takes the pipeline from the flow's generator, got augment={augment!r} as well: leave one of them out"
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
    size = base.batch_size if batch_size is None else batch_size
    return FlowSamples(base), convert(base.image_data_generator), size


def check_flow(base: Any, bridged: bool) -> None:
    """Raise a ValueError for a flow whose samples depend on more than their key.

    Args:
        base: the base of an AugmentedSequence; only flows are checked.
        bridged: whether generators follow the key while it is read.
    """
    generator = getattr(base, "image_data_generator", None)
    if generator is None or not hasattr(base, "index_generator"):
        return
    if getattr(base, "shuffle", False):
        fault = "shuffles by NumPy's global generator (shuffle=True, the default of flow, flow_from_directory and flow_from_dataframe)"
    elif getattr(base, "seed", None) is not None:
        fault = (
            f"seeds NumPy's global generator with a count of the batches that it has read (seed={base.seed})"
        )
    elif not bridged and draws(generator):
        fault = "draws its transforms from NumPy's global generator"
    else:
        return
    raise ValueError(
        f"base is a flow of an ImageDataGenerator, {type(base).__name__}, which {fault}, so its batches would differ with the "
        f"workers: {_WAY_OUT}"
    )


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
