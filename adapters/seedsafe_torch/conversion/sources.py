"""Datasets with a torchvision transform, read without it."""

from __future__ import annotations

import copy
import sys
import threading
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

import numpy as np
from torch.nn import ModuleList
from torch.utils.data import ConcatDataset, Subset

from seedsafe.reading import Place, Windows, entries, walk, with_parts
from seedsafe_torch.conversion.pipeline import (
    Converted,
    ConvertedViews,
    convert,
    convert_views,
    drawing_transforms,
)
from seedsafe_torch.conversion.pixels import array_of

__all__ = ["Unconverted", "convert_base"]

_WAY_OUT: Final = "make the dataset without its transform and pass augment=seedsafe_torch.convert(transform)"


class _Calls(threading.local):
    number = 0


_calls = _Calls()


class Untransformed:
    """An image as a Source returns it: the dataset's code may return it, and do nothing else with it.

    Whatever else code tries with it raises an error that names this class.
    """

    __slots__ = ("_image", "_number")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, image: Any, number: int) -> None:
        self._image, self._number = image, number

    def _refuse(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"{Untransformed.__name__} can only be returned")

    __array__ = __bool__ = __eq__ = __ne__ = __radd__ = _refuse  # without __radd__ an array's + concatenates
    __class__ = property(_refuse)  # isinstance asks for it

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{Untransformed.__name__} has no {name}")


def _with_images(sample: Any, count: int) -> tuple[Any, int]:
    """Return a sample with its images instead of what stands for them, and their number.

    Args:
        sample: the sample.
        count: the number of the dataset's transforms. Of several, one image takes the place of the list of all of them.
    """
    if type(sample) is Untransformed:
        return (sample._image, 1) if count == 1 else (sample, 0)
    if _are_views(sample, count):
        if not all(np.array_equal(one._image, sample[0]._image) for one in sample[1:]):
            raise TypeError(
                "the dataset applies its listed transforms to different images, and convert=True takes one image for all: pass "
                "bridge=True instead of convert=True, which keeps the dataset as it is"
            )
        return sample[0]._image, count
    found, number = dict[Any, Any](), 0
    for key, part in entries(sample) or ():
        found[key], images = _with_images(part, count)
        number += images
    return (with_parts(sample, found) if number else sample), number


def _are_views(sample: Any, count: int) -> bool:
    """Return whether a list has what stands for the image once for each of several listed transforms, in their order."""
    return (
        isinstance(sample, list | tuple)
        and len(sample) == count > 1
        and all(type(one) is Untransformed for one in sample)
        and [one._number for one in sample] == list(range(len(sample)))
    )


class Source:
    """Stands in for a transform and returns the image as Untransformed; a PIL image becomes an array.

    Args:
        number: the transform's position in a list of them.
    """

    def __init__(self, number: int = 0) -> None:
        self._number = number

    def __call__(self, image: Any) -> Any:
        _calls.number += 1
        if not hasattr(image, "getbands"):
            return Untransformed(image, self._number)
        return Untransformed(array_of(image), self._number)


class Unconverted:
    """A dataset that is read without its transform.

    Args:
        dataset: a copy whose transforms are Sources. It must call each once for each sample, and return several in one list.
        theirs: the name of the dataset's class, for errors.
        count: the number of transforms.
    """

    def __init__(self, dataset: Any, theirs: str, count: int = 1) -> None:
        vars(self).update(dataset=dataset, _theirs=theirs, _count=count)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: Any) -> Any:
        before, _calls.number = _calls.number, 0
        try:
            sample, images = _with_images(self.dataset[index], self._count)
            self._check(_calls.number, index)
        except Exception as error:
            if Untransformed.__name__ not in str(error):
                raise
            self._check(_calls.number, index)
            raise TypeError(self._goes_on()) from error
        finally:
            _calls.number = before
        if images != self._count:
            raise TypeError(self._goes_on())
        return sample

    def read_window(self, index: int, place: Place) -> Any:
        """Return the sample at an index, of whose image a window is enough; the pixels around may hold anything.

        Args:
            index: the index.
            place: returns the window of an image of a size, or None for all of it.
        """
        dataset = self.dataset
        if self._count == 1 and _reads_by_pillow(dataset):
            path, target = dataset.samples[index]
            image = _window(path, place)
            if image is not None:
                change = dataset.target_transform
                return image, target if change is None else change(target)
        return self[index]

    def _check(self, number: int, index: Any) -> None:
        if number != self._count:
            raise ValueError(
                f"{self._theirs} called its transform {number} times for the sample {index}, and convert=True needs {self._count}: for an "
                "image and its mask, pass a dataset that returns both without a transform, "
                'augment=seedsafe_torch.convert(transform) and targets=("image", "mask"); for two views of an image, pass views=2'
            )

    def _goes_on(self) -> str:
        return (
            f"{self._theirs} goes on with what its transform returns, and convert=True applies the transform to what the dataset "
            "returns: let it return that in a tuple or a dict, with the other steps at the end of the transform, or pass bridge=True "
            "instead of convert=True, which keeps the dataset as it is"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("transform", "transforms"):
            raise AttributeError(
                f"{name} cannot be set, because the AugmentedDataset has converted it: set augment=, or make another dataset"
            )
        setattr(self.dataset, name, value)

    def __repr__(self) -> str:
        return f"{self._theirs} without its transform"


def _reads_by_pillow(dataset: Any) -> bool:
    """Return whether a dataset is torchvision's ImageFolder, with its own loader, and nothing more."""
    folder: Any = sys.modules.get("torchvision.datasets.folder")
    return (
        folder is not None
        and type(dataset) is folder.ImageFolder
        and dataset.loader is folder.default_loader
        and sys.modules["torchvision"].get_image_backend() == "PIL"
    )


def _window(path: str, place: Place) -> Any:
    """Return the image of a JPEG with the pixels of a window, or None to read it in the usual way, which raises its errors."""
    from PIL import Image

    with suppress(Exception), open(path, "rb") as file, Image.open(file) as image:
        if image.format == "JPEG":
            file.seek(0)
            return _windows.decode(file.read(), (image.height, image.width), place)
    return None


def _whole(data: bytes) -> Any:
    from PIL import Image

    return array_of(Image.open(BytesIO(data)).convert("RGB"))


_windows: Final = Windows("Pillow", _whole, turns=False)


def convert_base(base: Any, augment: Any) -> tuple[Unconverted, Converted | ConvertedViews]:
    """Return a copy of a dataset without its transform, and the transform as a pipeline.

    Args:
        base: a dataset with an attribute ``transform``, or torch's Subset or ConcatDataset of such datasets.
        augment: must be None.

    Raises:
        TypeError: the attribute is not a transform.
        ValueError: there is an augmentation as well, there is no transform, or other code uses the transform too.
    """
    if augment is not None:
        raise ValueError(
            f"convert=True takes the pipeline from the dataset's transform, got augment={augment!r} as well: leave one of them out"
        )
    found: list[Any] = []
    source = Source()
    plain, listed = _without_list(base)
    if listed is not None:
        return Unconverted(plain, type(base).__qualname__, len(listed)), convert_views(listed)
    plain = _without(base, source, found)
    others = [one for one in walk(plain) if not isinstance(one, Unconverted) and _transform_of(one)]
    if others:
        raise ValueError(
            f"the {type(others[0]).__qualname__} inside {type(base).__qualname__} has a transform of its own, which would stay: "
            f"{_WAY_OUT}"
        )
    pipelines = [convert(one) for one in found]
    for one, other in zip(found[1:], pipelines[1:], strict=True):
        if one is not found[0] and other != pipelines[0]:
            raise ValueError(
                f"the datasets inside {type(base).__qualname__} have different transforms: put an AugmentedDataset with convert=True "
                "around each, with a seed or index_offset= of its own, and a ConcatDataset around these"
            )
    return Unconverted(plain, type(base).__qualname__), pipelines[0]


def _transform_of(dataset: Any) -> Any:
    transform = vars(dataset).get("transform") if hasattr(dataset, "__dict__") else None
    return None if isinstance(transform, Source) else transform


def _without_list(base: Any) -> tuple[Any, list[Any] | None]:
    """Return a copy of a dataset without its only list of transforms, and the list, or None if it has none or a transform."""
    lists = {
        name: list(value)
        for name, value in getattr(base, "__dict__", {}).items()
        if isinstance(value, list | tuple | ModuleList) and len(value) > 1 and all(map(callable, value))
    }
    if len(lists) != 1 or _transform_of(base) is not None or getattr(base, "transforms", None) is not None:
        return base, None
    result = copy.copy(base)
    ((name, transforms),) = lists.items()
    setattr(result, name, list(map(Source, range(len(transforms)))))
    return result, transforms


def _without(base: Any, source: Source, found: list[Any]) -> Any:
    """Return a copy of a dataset without its transform, and append the transform to a list."""
    result: Any = copy.copy(base)
    if type(base) is Subset:
        result.dataset = _without(base.dataset, source, found)
        return result
    if type(base) is ConcatDataset:
        result.datasets = [_without(one, source, found) for one in base.datasets]
        return result
    name = type(base).__qualname__
    transform = getattr(base, "transform", None)
    joint = getattr(base, "transforms", None)
    kind = type(joint)
    standard = kind.__name__ == "StandardTransform" and kind.__module__.startswith("torchvision.")
    if joint is not None and not standard:
        raise ValueError(
            f"{name} has transforms={joint!r}, which may take an image and its target together: {_WAY_OUT}, and name the parts of a "
            "sample with targets="
        )
    if transform is None:
        raise ValueError(
            f"convert=True needs a dataset with a transform, but {name} has none in its attribute `transform`: leave convert out, or, "
            f"if the transform has another name, {_WAY_OUT}"
        )
    target = getattr(base, "target_transform", None)
    draws = drawing_transforms(target) if target is not None else []
    if draws or _reseeds(base):
        what = f"draws {draws[0]} in its target_transform" if draws else "seeds generators while it reads"
        raise ValueError(
            f"{name} {what}, as datasets do to move an image and its mask alike: make it return both unchanged, and pass "
            'augment=seedsafe_torch.convert(transform) with targets=("image", "mask"), which moves them together'
        )
    found.append(transform)
    result.transform = source
    if standard:
        result.transforms = copy.copy(joint)
        result.transforms.transform = source
    return result


_SEEDS: Final = frozenset({"manual_seed", "set_rng_state", "setstate", "set_state", "fork_rng"})


def _reseeds(dataset: Any) -> bool:
    """Return whether a dataset's own code sets the state of a generator while it reads a sample."""
    kind = type(dataset)
    if kind.__module__.startswith("torchvision."):
        return False
    read = _code_names(kind, "__getitem__")
    return any(
        names & _SEEDS or ("seed" in names and names & {"random", "np", "numpy", "torch"})
        for names in (read, *(_code_names(kind, name) for name in read))
    )


def _code_names(kind: type, method: str) -> set[str]:
    """Return the names in the code of a method, or none."""
    return set(getattr(getattr(getattr(kind, method, None), "__code__", None), "co_names", ()))
