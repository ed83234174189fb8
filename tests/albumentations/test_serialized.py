"""Pipelines that albumentations itself wrote are read by the module that stands in for it."""

from __future__ import annotations

import inspect
import json
import os
from typing import Any

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"

import albumentations as original
import pytest

import seedsafe_albumentations as ours
from seedsafe_albumentations.originals import CLASSES

pytestmark = [pytest.mark.albumentations, pytest.mark.filterwarnings("ignore")]

BASES = {"BasicTransform", "DualTransform", "ImageOnlyTransform"}
SIZES: tuple[dict[str, Any], ...] = (
    {},
    {"height": 16, "width": 16},
    {"size": (16, 16)},
    {"max_size": 16},
    {"min_height": 8, "min_width": 8},
)


def of_both() -> list[str]:
    return [
        name
        for name, kind in inspect.getmembers(original, inspect.isclass)
        if issubclass(kind, original.BasicTransform) and name in ours.__all__ and name not in BASES
    ]


def written(name: str) -> tuple[dict[str, Any], Any] | None:
    """Return arguments of a transform, and what albumentations writes of it, or None if it writes nothing."""
    for sizes in SIZES:
        try:
            made = original.Compose([getattr(original, name)(**sizes)])
            return sizes, json.loads(json.dumps(original.to_dict(made)))
        except (TypeError, ValueError, NotImplementedError):  # other arguments are needed, or it is code
            continue
    return None


def test_the_transforms_of_both_are_many() -> None:
    assert sum(written(name) is not None for name in of_both()) >= 60


@pytest.mark.parametrize("name", of_both())
def test_what_the_original_wrote_is_read(name: str) -> None:
    found = written(name)
    if found is None:
        return
    sizes, plain = found
    read = ours.from_dict(plain).pipeline
    if name == "Affine":  # whose shift by no pixels is written
        sizes = {**sizes, "translate_px": 0}
    assert read == ours.Compose([getattr(ours, name)(**sizes)]).pipeline


@pytest.mark.parametrize("name", CLASSES)
def test_what_the_original_wrote_of_what_is_absent_is_read(name: str) -> None:
    found = written(name)
    if found is not None:
        (read,) = ours.from_dict(found[1]).transforms
        assert (read.kind, read.p) == (name, getattr(original, name)(**found[0]).p)
