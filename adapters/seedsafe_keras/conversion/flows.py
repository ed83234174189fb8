"""Flows of an ImageDataGenerator as bases."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["check_flow"]

_WAY_OUT: Final = (
    "augment the samples instead, AugmentedSequence(samples, seedsafe_keras.convert(generator), seed=..., batch_size=..., "
    "shuffle=True) with samples = list(zip(x, y)) or seedsafe.ImageFolder(folder), or pass shuffle=False and no seed to the flow and "
    "bridge=True here"
)


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
