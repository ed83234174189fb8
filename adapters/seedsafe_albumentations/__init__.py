"""seedsafe's transforms under albumentations' names.

Names and arguments are those of albumentations 1.x to 2.0.8: change the import, and wrap the dataset. A sample's augmentation is
then a function of (seed, epoch, index), for any number of workers.
"""

import inspect
import sys
from typing import Any

from seedsafe_albumentations import (
    blur,
    colour,
    crops,
    distortion,
    erase,
    geometry,
    noise,
    paths,
    pytorch,
    sizes,
    values,
)
from seedsafe_albumentations.choices import OneOf, OneOrOther, RandomOrder, SomeOf
from seedsafe_albumentations.composition import Compose, ReplayCompose, Sequential
from seedsafe_albumentations.functions import Lambda, NoOp
from seedsafe_albumentations.originals import CLASSES, INSTEAD, absent, instead
from seedsafe_albumentations.own import BaseCompose, BasicTransform, DualTransform, ImageOnlyTransform
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.pytorch import ToTensor, ToTensorV2
from seedsafe_albumentations.serialization import from_dict, load, save, to_dict
from seedsafe_albumentations.table import name_with, names_of

_MODULES = (blur, colour, crops, distortion, erase, geometry, noise, sizes, values)
_TRANSFORMS = names_of({name: row for module in _MODULES for name, row in module.ROWS.items()})
globals().update(_TRANSFORMS)
paths.register(__name__)

_ANY_CALL = inspect.signature(lambda *arguments, **options: None)

__version__ = "2.0.8"
"""The release of albumentations whose names and arguments these are."""

__all__ = [  # noqa: PLE0604  # the table's names are strings
    "BaseCompose",
    "BasicTransform",
    "BboxParams",
    "Compose",
    "DualTransform",
    "ImageOnlyTransform",
    "KeypointParams",
    "Lambda",
    "NoOp",
    "OneOf",
    "OneOrOther",
    "RandomOrder",
    "ReplayCompose",
    "Sequential",
    "SomeOf",
    "ToTensor",
    "ToTensorV2",
    "augmentations",
    "core",
    "from_dict",
    "load",
    "pytorch",
    "save",
    "to_dict",
    *_TRANSFORMS,
]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'seedsafe_albumentations' has no attribute {name!r}")
    # In 1.x the modules of augmentations were at the top, too.
    value = vars(sys.modules[f"{__name__}.augmentations"]).get(name)
    if name in CLASSES or name in INSTEAD or name.endswith("3D"):
        doc = "Return albumentations' own, keyed by a bridge."
        value = globals()[name] = name_with(name, [(_ANY_CALL, absent(name))], (), doc)
    if value is None:
        raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name, __all__)}")
    return value
