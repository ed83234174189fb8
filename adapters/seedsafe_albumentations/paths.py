"""The paths of albumentations' modules.

Every name can be imported from each of them.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

from seedsafe_albumentations import helpers

__all__ = ["module", "register"]

_PATHS: Final = (
    *("augmentations", "augmentations.blur", "augmentations.blur.transforms", "augmentations.crops"),
    *("augmentations.crops.functional", "augmentations.crops.transforms"),
    *("augmentations.domain_adaptation", "augmentations.dropout", "augmentations.dropout.channel_dropout"),
    *("augmentations.dropout.coarse_dropout", "augmentations.dropout.functional"),
    *("augmentations.dropout.grid_dropout", "augmentations.dropout.transforms"),
    *("augmentations.dropout.xy_masking", "augmentations.functional", "augmentations.geometric"),
    *("augmentations.geometric.distortion", "augmentations.geometric.flip"),
    *("augmentations.geometric.functional", "augmentations.geometric.pad"),
    *("augmentations.geometric.resize", "augmentations.geometric.rotate"),
    *("augmentations.geometric.transforms", "augmentations.mixing", "augmentations.other"),
    *("augmentations.other.lambda_transform", "augmentations.other.type_transform", "augmentations.pixel"),
    *("augmentations.pixel.functional", "augmentations.pixel.transforms", "augmentations.spectrogram"),
    *("augmentations.text", "augmentations.transforms", "augmentations.utils", "core", "core.bbox_utils"),
    *("core.composition", "core.keypoints_utils", "core.serialization", "core.transforms_interface"),
    *("core.utils", "imgaug", "imgaug.transforms", "pytorch.transforms"),
)
"""Modules of albumentations 1.x and 2.x, besides those that are files here; each after its parent, whose attribute it becomes."""


def register(package: str) -> None:
    """Add the modules to ``sys.modules``, with all names of the package."""

    def name_of(name: str) -> Any:
        return getattr(helpers, name, None) or getattr(sys.modules[package], name)

    for path in _PATHS:
        result = ModuleType(f"{package}.{path}", __doc__)
        result.__getattr__ = name_of  # type: ignore[method-assign]  # a module's hook
        result.__path__ = []
        sys.modules[result.__name__] = result
        parent, _, name = result.__name__.rpartition(".")
        setattr(sys.modules[parent], name, result)


def module(path: str) -> ModuleType:
    """Return one of the modules."""
    return sys.modules[f"{__package__}.{path}"]
