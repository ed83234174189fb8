"""Bases that hold no samples."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from seedsafe.ground.warning import warn
from seedsafe.reading.inside import walk

__all__ = ["check_base", "warn_of_other_records"]

_MANY: Final = 8
"""More arrays than this are samples, not columns."""


def check_base(base: Any, *, streams: str = "the adapter for tf.data") -> None:
    """Raise an error if a base holds the columns of a dataset, or is a stream of TensorFlow.

    A tuple of images is a base. What is refused is certain: its arrays are equally long, and no dataset has samples of such
    shapes.

    Args:
        base: what the user passed.
        streams: the name of the adapter for TensorFlow's streams.

    Raises:
        TypeError: it holds no samples.

    Example:
        >>> import numpy as np
        >>> check_base((np.zeros((8, 8)), np.zeros((8, 5))))
        >>> check_base((np.zeros((9, 8, 8, 3)), np.zeros(9)))
        Traceback (most recent call last):
        TypeError: base must hold samples, got a tuple of columns with the shapes [(9, 8, 8, 3), (9,)]: pass list(zip(*base)), or \
torch.utils.data.TensorDataset(*base) of tensors, whose images are (N, C, H, W)
    """
    warn_of_other_records(base)
    if type(base) in (tuple, list):
        _check_columns(base)
    elif isinstance(base, dict) and base and 0 not in base and not hasattr(type(base), "__missing__"):
        raise TypeError(
            f"base must have base[0], got a {type(base).__name__} of {_listed(base)}: pass "
            "[dict(zip(base, row)) for row in zip(*base.values())] if its values are columns, list(base.values()) if they are "
            "samples"
        )
    elif hasattr(base, "as_numpy_iterator") and hasattr(base, "element_spec"):
        raise TypeError(
            "base must be a dataset with base[index], got a tf.data.Dataset, which has no index: pass its records through "
            f"{streams}.keyed, or the arrays that it was made of to {streams}.augment"
        )


def warn_of_other_records(dataset: Any) -> None:
    """Warn of a dataset that reads another record for one that fails, as detectron2's MapDataset, unless a keyed dataset hides it."""
    for found in walk(dataset, into_keyed=False):
        if hasattr(found, "_fallback_candidates"):
            warn(
                f"{type(found).__qualname__} reads another record for one that fails, drawn from those that this process has not yet seen "
                "fail, so such a sample depends on the workers: read the records by a dataset of your own that lets errors out, and pass "
                'on_error="replace", which chooses the other one by the key'
            )


def _check_columns(base: Any) -> None:
    shapes = [tuple(getattr(part, "shape", ())) for part in base[: _MANY + 1]]
    if not 2 <= len(shapes) <= _MANY or not all(shapes) or len({shape[:1] for shape in shapes}) > 1:
        return
    if any(_are_columns(*sorted(pair, key=len)) for pair in combinations(shapes, 2)):
        raise TypeError(
            f"base must hold samples, got a {type(base).__name__} of columns with the shapes {shapes}: pass list(zip(*base)), or "
            "torch.utils.data.TensorDataset(*base) of tensors, whose images are (N, C, H, W)"
        )


def _are_columns(less: tuple[int, ...], more: tuple[int, ...]) -> bool:
    """Return whether arrays of two shapes cannot be two samples: a number beside images, many images beside one each."""
    is_image = len(more) == 3 and more[-1] <= 4
    return len(less) < len(more) and (len(less) == 1 or len(more) > 3 or not is_image)


def _listed(base: dict[Any, Any]) -> str:
    names = list(base)[:_MANY]
    return f"{names}"[:-1] + (", …]" if len(base) > len(names) else "]")
