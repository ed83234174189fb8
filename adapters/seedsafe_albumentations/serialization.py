"""Pipelines from and to plain data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from seedsafe_albumentations.absent import instead

__all__ = ["from_dict", "load", "save", "to_dict"]

_DROPPED = ("params", "applied", "__version__")


def to_dict(transform: Any) -> dict[str, Any]:
    """Return a pipeline as plain data, as ``seedsafe.Compose.to_dict`` does."""
    plain: dict[str, Any] = transform.to_dict()
    return plain


def from_dict(data: dict[str, Any]) -> Any:
    """Return the pipeline that ``to_dict`` of albumentations 1.x or 2.x described.

    Raises:
        ValueError: the data contain a transform that this module does not have.

    Example:
        >>> flip = {"__class_fullname__": "HorizontalFlip", "p": 0.5}
        >>> plain = {"__version__": "2.0.8", "transform": {"__class_fullname__": "Compose", "p": 1.0, "transforms": [flip]}}
        >>> from_dict(plain)
        Compose([HorizontalFlip()])
    """
    if not isinstance(data, dict) or "transform" not in data:
        raise ValueError(
            f"data must have an entry 'transform', got {data!r}: pass the result of albumentations.to_dict"
        )
    return _from_plain(data["transform"])


def _from_plain(plain: dict[str, Any]) -> Any:
    here: Any = sys.modules[str(__package__)]
    name = plain["__class_fullname__"].rpartition(".")[2]
    arguments = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in plain.items()
        if key != "__class_fullname__" and key not in _DROPPED and value is not None
    }
    if "transforms" in plain:
        arguments["transforms"] = [_from_plain(one) for one in plain["transforms"]]
        if not plain.get("additional_targets"):
            arguments.pop("additional_targets", None)
    if name not in here.__all__:
        raise ValueError(
            f"data contain the transform {name!r}, which this module does not have: {instead(name, here.__all__)}"
        )
    return getattr(here, name)(**arguments)


def load(path: str | Path, data_format: str = "json") -> Any:
    """Return the pipeline in a JSON file that albumentations' ``save`` wrote."""
    if data_format != "json":
        raise ValueError(
            f"data_format must be 'json', got {data_format!r}: read the file, and pass its data to from_dict"
        )
    return from_dict(json.loads(Path(path).read_text(encoding="utf-8")))


def save(transform: Any, path: str | Path) -> None:
    """Write a pipeline to a file, as ``seedsafe.Compose.to_json`` does. ``seedsafe.Compose.from_json`` reads it."""
    Path(path).write_text(json.dumps(to_dict(transform), indent=2), encoding="utf-8")
