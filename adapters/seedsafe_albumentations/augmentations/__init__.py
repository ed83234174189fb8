"""Every transform under the path ``albumentations.augmentations``, whichever of its modules it is in there."""

import sys
from types import ModuleType
from typing import Any, Final

__all__: list[str] = []

_PATHS: Final = (
    "blur",
    "blur.transforms",
    "crops",
    "crops.transforms",
    "domain_adaptation",
    "dropout",
    "dropout.channel_dropout",
    "dropout.coarse_dropout",
    "dropout.grid_dropout",
    "dropout.transforms",
    "dropout.xy_masking",
    "geometric",
    "geometric.distortion",
    "geometric.flip",
    "geometric.pad",
    "geometric.resize",
    "geometric.rotate",
    "geometric.transforms",
    "other",
    "pixel",
    "pixel.transforms",
    "spectrogram",
    "transforms",
)
"""Modules that albumentations has, or had, in 1.x and 2.x."""


def __getattr__(name: str) -> Any:
    import seedsafe_albumentations

    return getattr(seedsafe_albumentations, name)


def _register() -> None:
    """Make the modules, each with every transform."""
    for path in _PATHS:
        module = ModuleType(f"{__name__}.{path}", __doc__)
        module.__getattr__ = __getattr__  # type: ignore[method-assign]  # a function of modules
        module.__path__ = []
        sys.modules[module.__name__] = module
        parent, _, name = module.__name__.rpartition(".")
        setattr(sys.modules[parent], name, module)


_register()
