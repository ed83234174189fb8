"""Bases that hold no samples."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np

from seedsafe.ground.warning import warn
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.inside import walk

__all__ = ["check_base"]

_MANY: Final = 8
"""More arrays than this are samples, not columns."""

_DICTS: Final = (dict, np.lib.npyio.NpzFile)


def check_base(base: Any, *, name: str = "base", streams: str = "the adapter for tf.data") -> None:
    """Raise an error if a base holds the columns of a dataset, or is a stream of TensorFlow.

    A tuple of images is a base. What is refused is certain: its arrays are equally long, and no dataset has samples of such
    shapes.

    Args:
        base: what may be a base.
        name: what it is called.
        streams: the name of the adapter for TensorFlow's streams.

    Raises:
        TypeError: the base is not one.

    Example:
        >>> import numpy as np
        >>> check_base((np.zeros((8, 8)), np.zeros((8, 5))))
        >>> check_base((np.zeros((9, 8, 8, 3)), np.zeros(9)))
        Traceback (most recent call last):
        TypeError: base must hold samples, got a tuple of columns with the shapes [(9, 8, 8, 3), (9,)]: pass list(zip(*base)), or \
torch.utils.data.TensorDataset(*base) of tensors, whose images are (N, C, H, W)
    """
    _warn_of_other_records(base)
    if type(base) in (tuple, list):
        _check_columns(base, name)
    elif isinstance(base, _DICTS) and base and 0 not in base and not hasattr(type(base), "__missing__"):
        raise TypeError(
            f"{name} must have {name}[0], got a {type(base).__name__} of {_listed(base)}: pass "
            f"[dict(zip({name}, row)) for row in zip(*{name}.values())] if its values are columns, list({name}.values()) if they are "
            "samples"
        )
    elif hasattr(base, "as_numpy_iterator") and hasattr(base, "element_spec"):
        raise TypeError(
            f"{name} must be a dataset with {name}[index], got a tf.data.Dataset, which has no index: pass its records through "
            f"{streams}.keyed, or the arrays that it was made of to {streams}.augment"
        )


def _warn_of_other_records(dataset: Any) -> None:
    """Warn of a dataset that reads another record for one that fails, as detectron2's MapDataset, unless a keyed dataset hides it."""
    for found in walk(dataset, into_keyed=False):
        if hasattr(found, "_fallback_candidates"):
            warn(
                f"{type(found).__qualname__} reads another record for one that fails, drawn from those that this process has not yet seen "
                "fail, so such a sample depends on the workers: read the records by a dataset of your own that lets errors out, and pass "
                'on_error="replace", which chooses the other one by the key'
            )


def _check_columns(base: Any, name: str) -> None:
    shapes = [_shape_of(part) for part in base[: _MANY + 1]]
    if not 2 <= len(shapes) <= _MANY or not all(shapes) or len({shape[:1] for shape in shapes}) > 1:
        return
    if any(_are_columns(*sorted(pair, key=len)) for pair in combinations(shapes, 2)):
        raise TypeError(
            f"{name} must hold samples, got a {type(base).__name__} of columns with the shapes {shapes}: pass list(zip(*{name})), or "
            f"torch.utils.data.TensorDataset(*{name}) of tensors, whose images are (N, C, H, W)"
        )


def _shape_of(part: Any) -> tuple[int, ...]:
    """Return the shape of an array, or the length of a list of labels."""
    is_list = type(part) in (list, tuple) and part and type(part[0]) in SCALARS
    return (len(part),) if is_list else tuple(getattr(part, "shape", ()))


def _are_columns(less: tuple[int, ...], more: tuple[int, ...]) -> bool:
    """Return whether arrays of two shapes cannot be two samples: a number beside images, many images beside one each."""
    is_image = len(more) == 3 and more[-1] <= 4
    return len(less) < len(more) and (len(less) == 1 or len(more) > 3 or not is_image)


def _listed(base: Mapping[Any, Any]) -> str:
    names = list(base)[:_MANY]
    return f"{names}"[:-1] + (", …]" if len(base) > len(names) else "]")
