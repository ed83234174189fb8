"""Each argument of a transform elsewhere has a hint in the class that is its equivalent here, and each transform a hint."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import pytest

import seedsafe as ss
from seedsafe.ground.advice import equivalent, names

LIBRARIES = {
    "torchvision": "torchvision.transforms.v2",
    "albumentations": "albumentations",
    "kornia": "kornia.augmentation",
    "torchaudio": "torchaudio.transforms",
    "audiomentations": "audiomentations",
    "torch-audiomentations": "torch_audiomentations",
    "imgaug": "imgaug.augmenters",
}
PRIVATE = r"^(_|Base[A-Z]|Transform$|Transform3D$|BasicTransform$)|Dispather$|Example|ToTensor3D|.*MultiLabel"


def classes(library: str) -> dict[str, Any]:
    """Return the transforms of a library by name."""
    module = importlib.import_module(LIBRARIES[library])
    base = getattr(module, "Augmenter", object)  # imgaug has many other classes
    return {
        name: one
        for name, one in vars(module).items()
        if inspect.isclass(one)
        and issubclass(one, base)
        and not re.search(PRIVATE, name)
        and one.__module__.startswith(library.replace("-", "_"))
    }


def ours(library: str, name: str) -> Any:
    """Return our class that a name of a library means, or None."""
    meant = names().get(library, {}).get(name)
    if meant is not None:
        named = re.match(r"ss\.(\w+)", meant.call)
        return getattr(ss, named[1]) if named else None
    return getattr(ss, name, None)


@pytest.mark.bridge
@pytest.mark.parametrize("library", LIBRARIES)
def test_each_transform_is_here_or_has_a_hint(library: str) -> None:
    unknown = [
        name
        for name in classes(library)
        if not hasattr(ss, name) and not any(name in own for own in names().values())
    ]
    assert unknown == []


@pytest.mark.bridge
@pytest.mark.parametrize("library", LIBRARIES)
def test_each_argument_is_taken_or_has_a_hint(library: str) -> None:
    silent = []
    for name, theirs in classes(library).items():
        kind = ours(library, name)
        if kind is None:
            continue
        takes = inspect.signature(kind).parameters
        for argument in inspect.signature(theirs).parameters:
            known = argument in takes or argument in ("args", "kwargs")
            if not known and equivalent(kind.__name__, argument, takes) is None:
                silent.append(f"{name}({argument}) of {kind.__name__}")
    assert silent == []
