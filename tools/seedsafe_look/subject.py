"""Load the pipeline or dataset to look at."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedsafe.ground.info import Info, Infos, described
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

    def key(self, at: SampleIndex, seed: int) -> SampleKey:
        """Return the key of a sample, with the dataset's own seed if there is a dataset."""
        if self.reader is not None:
            key: SampleKey = self.reader.key(at)
            return key
        return SampleKey(seed, at.epoch, int(at), occurrence=at.occurrence, view=at.view)

    def of_view(self, view: int) -> Subject:
        """Return the same subject with the pipeline of one view alone."""
        if self.views is None:
            return self
        reader, one = copy(self.reader), self.views.pipelines[view % len(self.views)]
        if reader is not None:
            reader.augment = one
            reader.renew()
        return Subject(self.name, _pipeline_of(one), reader)

    def read(self, at: SampleIndex) -> tuple[Any, Any]:
        """Return a sample of the dataset before and after its augmentation."""
        return self.read_base(at), self.reader.sample(at, counts=False, listed=False)

    def read_base(self, at: SampleIndex) -> Any:
        """Return a sample of the dataset's base."""
        bare = copy(self.reader)
        bare.augment = None
        bare.renew()
        return bare.sample(at, counts=False, listed=False)

    def infos(self, parts: Any, at: SampleIndex) -> Infos:
        """Return the infos of a sample, with its position in the dataset if there is one."""
        infos = parts if isinstance(parts, Info) else described(parts)
        if self.reader is None or not hasattr(self.reader.base, "__len__"):
            return infos
        length, position = len(self.reader.base), int(at)
        if isinstance(infos, Info):
            return infos.of_dataset(length, position)
        return {name: one.of_dataset(length, position) for name, one in infos.items()}

    def parts(self, sample: Any) -> Any:
        """Return a sample of the dataset in the form that its pipeline gets: an array, or a dict of targets."""
        from seedsafe.reading.structure import take_apart

        return take_apart(sample, self.reader.targets)[0]


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
        return _of_augment(target, _from_file(target, [_import(one) for one in classes]))
    if ":" not in target:
        raise ValueError(f"PIPELINE must be {_FORMS}, got {target!r}")
    return _subject(target, _import(target), seed)


def _from_file(name: str, classes: list[Any]) -> Compose | Views:
    try:
        text = Path(name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {name}: check the path") from None
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not text: pass a file of Compose.to_json's result") from None
    try:
        data = json.loads(text) if name.endswith(".json") else _from_yaml(text)
        kind = Views if isinstance(data, dict) and data.get("transform") == "Views" else Compose
        return kind.from_dict(data, classes=classes)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        own = (
            ""
            if classes or "class" not in str(error)
            else " (name your own transforms with --class MODULE:NAME)"
        )
        raise ValueError(f"{name} does not contain a pipeline: {error}{own}") from error


def _from_yaml(text: str) -> Any:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise ImportError('a YAML file needs PyYAML: pip install "seedsafe[yaml]", or write JSON') from error
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ValueError(
            f"its top level must be a mapping, got {type(data).__name__}: write the result of Compose.to_dict"
        )
    return data


def _import(target: str) -> Any:
    module, _, path = target.rpartition(":")  # a path may have another one, such as a drive's
    if not (module and path):
        raise ValueError(f"expected MODULE:NAME, got {target!r}: name both")
    try:
        value = _module(module)
    except FileNotFoundError:
        raise
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module!r} cannot be imported: {type(error).__name__}: {error}") from error
    for name in path.split("."):
        if not hasattr(value, name):
            names = ", ".join(sorted(one for one in vars(value) if not one.startswith("_"))[:20])
            raise ValueError(f"{module!r} has no {path!r}: it has {names}")
        value = getattr(value, name)
    return value


def _module(name: str) -> Any:
    here = str(Path.cwd())
    if not name.endswith(".py"):
        sys.path[:0] = [] if here in sys.path else [here]
        return importlib.import_module(name)
    file = Path(name).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"no file {name}: check the path")
    sys.path.insert(0, str(file.parent))
    return importlib.import_module(file.stem)


def _subject(name: str, value: Any, seed: int) -> Subject:
    if isinstance(value, Transform | Compose | Views):
        return _of_augment(name, value)
    for dataset in (value, getattr(value, "dataset", None)):  # a DataLoader has one
        reader = getattr(dataset, "reader", None)
        if hasattr(reader, "renew") and hasattr(reader, "base"):
            return _of_reader(name, reader)
    if isinstance(value, type) or (inspect.isroutine(value) and not _needs_arguments(value)):
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

        return _of_reader(name, KeyedReader(value, None, seed=seed, bridge=True))
    raise ValueError(f"{name} is neither a pipeline nor a dataset, but {type(value).__name__}: name {_FORMS}")


def _of_reader(name: str, reader: Any) -> Subject:
    reader = copy(reader)
    reader.views = None  # views are read by number
    reader.renew()
    return _of_augment(name, reader.augment, reader)


def _of_augment(name: str, augment: Any, reader: Any = None) -> Subject:
    views = augment if isinstance(augment, Views) else None
    return Subject(name, _pipeline_of(augment if views is None else views.pipelines[0]), reader, views)


def _pipeline_of(augment: Any) -> Compose | None:
    """Return an augmentation as a Compose, or None if it is other code."""
    if isinstance(augment, Compose):
        return augment
    return Compose([augment]) if isinstance(augment, Transform) else None


def _needs_arguments(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True  # written in C
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(one.default is one.empty and one.kind not in optional for one in parameters)
