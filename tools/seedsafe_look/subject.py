"""Load the pipeline or dataset to look at."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedsafe.ground.commands import import_object
from seedsafe.ground.info import TARGETS, Info, Infos, described
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.transform import Transform
from seedsafe.pipeline.views import Views

__all__ = ["Subject", "load"]

_FILES = (".json", ".yaml", ".yml")
_FORMS = "a .json or .yaml file of Compose.to_dict's result, or MODULE:NAME, such as train:augment or train.py:augment"


@dataclass(frozen=True, slots=True)
class Subject:
    """A pipeline, or a dataset that is read by key.

    Attributes:
        name: the PIPELINE argument.
        augment: the pipeline, or None for a dataset that has none.
        reader: the reader of the dataset, or None for a pipeline alone.
        views: the pipelines of several views, the first of which is `augment`; None if one pipeline makes all views.
    """

    name: str
    augment: Compose | None
    reader: Any = None
    views: Views | None = None

    def check_seed(self, seed: int | None) -> None:
        """Raise an error for a seed that is not the dataset's own."""
        if self.reader is not None and seed not in (None, self.reader.seed):
            raise ValueError(
                f"{self.name} has the seed {self.reader.seed}, got --seed {seed}: leave it out, or name the pipeline"
            )

    def key(self, at: SampleIndex, seed: int) -> SampleKey:
        """Return the key of a sample, with the dataset's own seed if there is a dataset."""
        if self.reader is None:
            return SampleKey(seed, at.epoch, int(at), occurrence=at.occurrence, view=at.view)
        key: SampleKey = self.reader.key(at)
        return key

    def of_view(self, view: int) -> Subject:
        """Return the same subject with the pipeline of one view alone."""
        if self.views is None:
            return self
        one = self.views.pipelines[view % len(self.views)]
        return Subject(self.name, _pipeline_of(one), self.reader and _with(self.reader, augment=one))

    def read(self, at: SampleIndex) -> Any:
        """Return a sample of the dataset."""
        return self.reader.sample(at, counts=False, listed=False)

    def read_base(self, at: SampleIndex) -> Any:
        """Return a sample of the dataset before its augmentation."""
        return _with(self.reader, augment=None).sample(at, counts=False, listed=False)

    def infos(self, parts: Any, at: SampleIndex) -> Infos:
        """Return the infos of a sample, with its position in the dataset if there is one."""
        infos = described(parts)
        if self.reader is None or not hasattr(self.reader.base, "__len__"):
            return infos
        place = len(self.reader.base), int(at)
        if isinstance(infos, Info):
            return infos.of_dataset(*place)
        return {name: one.of_dataset(*place) for name, one in infos.items()}

    def parts(self, sample: Any) -> Any:
        """Return a sample of the dataset in the form that its pipeline gets: an array, or a dict of targets."""
        from seedsafe.reading.forms import opened
        from seedsafe.reading.sample import take_apart

        parts = take_apart(sample, self.reader.targets)[0]
        if not isinstance(parts, dict):
            return opened(parts, "image", False)[0]
        to_open = [name for name in parts if name in TARGETS and name != "masks"]
        return parts | {name: opened(parts[name], name, False)[0] for name in to_open}


def load(target: str, *, seed: int = 0, classes: Iterable[str] = ()) -> Subject:
    """Return the pipeline or dataset that a command's PIPELINE argument names.

    Args:
        target: a file, or MODULE:NAME of a Compose, a transform, a dataset, a callable of another library, or a function
            without arguments that returns one of them.
        seed: the seed for a dataset without one.
        classes: the user's own transforms in a file, each as MODULE:NAME.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the target is something else, or cannot be imported or read.
        ImportError: the file is YAML, and PyYAML is not installed.
    """
    if target.endswith(_FILES):
        return _of_augment(target, _from_file(target, [import_object(one) for one in classes]))
    if ":" not in target:
        raise ValueError(f"PIPELINE must be {_FORMS}, got {target!r}")
    return _subject(target, import_object(target), seed)


def _from_file(name: str, classes: list[Any]) -> Compose | Views:
    try:
        text = Path(name).read_text(encoding="utf-8")
        data = json.loads(text) if name.endswith(".json") else _from_yaml(text)
        kind = Views if isinstance(data, dict) and data.get("transform") == "Views" else Compose
        return kind.from_dict(data, classes=classes)
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {name}: check the path") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        unnamed = "class" in str(error) and not classes
        own = " (name your own transforms with --class MODULE:NAME)" if unnamed else ""
        raise ValueError(f"{name} does not contain a pipeline: {error}{own}") from error


def _from_yaml(text: str) -> Any:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise ImportError('a YAML file needs PyYAML: pip install "seedsafe[yaml]", or write JSON') from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from error


def _subject(name: str, value: Any, seed: int) -> Subject:
    if isinstance(value, Transform | Compose | Views):
        return _of_augment(name, value)
    for dataset in (value, getattr(value, "dataset", None)):  # a DataLoader has one
        reader: Any = getattr(dataset, "reader", None)
        if hasattr(reader, "renew") and hasattr(reader, "base"):
            return _of_augment(name, reader.augment, _with(reader, views=None))  # views are read by number
    if isinstance(value, type) or (inspect.isroutine(value) and _takes_nothing(value)):
        try:
            result = value()
        except Exception as error:
            raise ValueError(
                f"{name} was called without arguments and raised {type(error).__name__}: {error}. Name an instance, or a "
                "function without arguments that returns one"
            ) from error
        if result is None or isinstance(result, type):
            raise ValueError(f"{name} returned {result!r}: name a pipeline or a dataset")
        return _subject(name, result, seed)
    if callable(value):
        from seedsafe.bridging.member import bridge

        return Subject(name, Compose([bridge(value)]))
    if hasattr(value, "__getitem__"):
        from seedsafe.reading.reader import KeyedReader

        return Subject(name, None, KeyedReader(value, None, seed=seed, bridge=True))
    raise ValueError(f"{name} is neither a pipeline nor a dataset, but {type(value).__name__}: name {_FORMS}")


def _with(reader: Any, **changed: Any) -> Any:
    """Return a copy of a dataset's reader that differs in some attributes."""
    result = copy(reader)
    for name, value in changed.items():
        setattr(result, name, value)
    result.renew()
    return result


def _of_augment(name: str, augment: Any, reader: Any = None) -> Subject:
    views = augment if isinstance(augment, Views) else None
    return Subject(name, _pipeline_of(augment if views is None else views.pipelines[0]), reader, views)


def _pipeline_of(augment: Any) -> Compose | None:
    """Return an augmentation as a Compose, or None if it is other code."""
    if isinstance(augment, Compose):
        return augment
    return Compose([augment]) if isinstance(augment, Transform) else None


def _takes_nothing(function: Any) -> bool:
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):  # it needs arguments, or is written in C
        return False
    return True
