"""The parts of a sample that are augmented: by position in a tuple, by key in a dict, or the whole array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.reading.arrays import is_foreign

__all__ = ["Targets", "check_targets", "kind_of", "take_apart"]


Targets = Sequence[str | None] | Mapping[Any, str | None] | None
"""The target of each part: by position for tuples, by key for dicts; None for parts that pass through."""

_NAMES: Final = frozenset(TARGETS)


def check_targets(targets: Any, labels: Sequence[str] = ()) -> Targets:
    """Return `targets`, or raise an error that names the wrong one; `labels` are names of labels that a pipeline knows."""
    if targets is None:
        return None
    if isinstance(targets, str) or not isinstance(targets, Sequence | Mapping):
        raise TypeError(
            f'targets must be a tuple such as ("image", "mask", None) or a dict of keys to targets, got {targets!r}'
        )
    named = [t for t in (targets.values() if isinstance(targets, Mapping) else targets) if t is not None]
    for target in named:
        if target not in TARGETS and target not in labels:
            raise ValueError(
                f"targets must each be one of {', '.join((*TARGETS, *labels))}, or None to pass through, got {target!r}"
            )
    twice = [target for target in set(named) if named.count(target) > 1 and target != "mask"]
    if (
        not any(target in TARGETS for target in named)
        or twice
        or (named.count("mask") > 1 and "masks" in named)
    ):
        raise ValueError(
            f"targets must name at least one target, and each at most once except mask, got {targets!r}"
        )
    return targets


def take_apart(sample: Any, targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    """Return what the pipeline is given, and how its result goes back into the sample's form."""
    if sample is None:
        raise TypeError("the dataset returned None: return a sample, or leave the index out of the dataset")
    if isinstance(sample, dict):
        return _from_dict(sample, targets)
    if isinstance(sample, tuple | list):
        return _from_tuple(sample, targets)
    if targets is not None:
        raise ValueError(
            f"targets={targets!r} name parts of a tuple or dict, but the sample is {kind_of(sample)}: leave targets out"
        )
    return sample, lambda made: made


def _from_tuple(sample: Any, targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    if isinstance(targets, Mapping):
        raise ValueError(
            f"targets={targets!r} name keys, but the sample is {kind_of(sample)}: pass a tuple of targets"
        )
    if targets is None:
        if not sample:
            raise ValueError("the dataset returned an empty tuple: return a sample")
        if not isinstance(sample[0], np.ndarray | dict) and not is_foreign(sample[0]):
            raise TypeError(
                f"the first element of a sample is augmented and must be a NumPy array, got {kind_of(sample[0])}: "
                "convert it with numpy.asarray, or name the parts with targets="
            )
        return sample[0], lambda made: _like(sample, [made, *sample[1:]])
    if len(targets) != len(sample):
        raise ValueError(
            f"targets={targets!r} name {len(targets)} parts, but the sample has {len(sample)}: name each, None for those "
            "that pass through"
        )
    named = {position: target for position, target in enumerate(targets) if target is not None}

    def join(made: Any) -> Any:
        parts = list(sample)
        for position, part in _spread(made, named).items():
            parts[position] = part
        return _like(sample, parts)

    return _gathered(sample, named), join


def _from_dict(sample: dict[Any, Any], targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    if targets is None:
        if _NAMES.isdisjoint(sample):
            raise ValueError(
                f"none of the sample's keys {list(sample)} is one of {', '.join(TARGETS)}: "
                "name the parts with targets={key: target}"
            )
        return sample, lambda made: made
    if not isinstance(targets, Mapping):
        raise ValueError(
            f"targets={targets!r} name positions, but the sample is a dict: pass a dict of targets"
        )
    missing = [key for key in targets if key not in sample]
    if missing:
        raise ValueError(
            f"targets name the keys {missing}, which the sample lacks; it has {list(sample)}: correct the names"
        )
    named = {key: target for key, target in targets.items() if target is not None}
    return _gathered(sample, named), lambda made: sample | _spread(made, named)


def _gathered(sample: Any, named: Mapping[Any, str]) -> dict[str, Any]:
    """Return the named parts of a sample by target; several masks as a list of them."""
    several = [key for key, target in named.items() if target == "mask"]
    parts = {target: sample[key] for key, target in named.items()}
    if len(several) > 1:
        del parts["mask"]
        parts["masks"] = [sample[key] for key in several]
    return parts


def _spread(made: Mapping[str, Any], named: Mapping[Any, str]) -> dict[Any, Any]:
    """Return augmented parts by where they stood in the sample."""
    several = [key for key, target in named.items() if target == "mask"]
    masks = dict(enumerate(made["masks"])) if len(several) > 1 else {}
    return {
        key: masks[several.index(key)] if masks and target == "mask" else made[target]
        for key, target in named.items()
    }


def _like(sample: Any, parts: list[Any]) -> Any:
    if isinstance(sample, list):
        return parts
    return sample._make(parts) if hasattr(sample, "_make") else tuple(parts)


def kind_of(value: Any) -> str:
    """Return the full name of a value's type, for an error."""
    return f"{type(value).__module__}.{type(value).__qualname__}"
