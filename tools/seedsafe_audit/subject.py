"""The audited dataset, and how to read it."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from seedsafe.bridging.region import Replayed
from seedsafe.bridging.walk import Location, Part, attributes_of, held_by, walk
from seedsafe.ground.commands import import_object
from seedsafe.reading.bases import outermost
from seedsafe_audit import state
from seedsafe_audit.draws import UsersSeeds
from seedsafe_audit.options import LOADERS

__all__ = ["Subject", "inner", "load", "subject_of"]

Loader = Literal["torch", "keras", "processes"]

_TRANSFORMS = ("transform", "transforms", "augment", "augmentation", "augmentations", "augmenter")


_READERS: dict[str, Loader] = {"torch": "torch", "tensorflow": "processes"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A dataset and its loader.

    Attributes:
        dataset: the user's object.
        loader: ``"torch"`` for DataLoader, ``"keras"`` for Keras's own enqueuer, ``"processes"`` for plain ones.
        iterable: whether it is iterated instead of indexed.
        length: the number of samples (of batches for Keras), or None if it is unknown.
        worker_init: the DataLoader's worker_init_fn, or None.
        collate: the DataLoader's collate_fn, or None if it is torch's own.
        batch: the DataLoader's batch size, or None.
        persistent: whether the DataLoader's workers live as long as it.
        make: a function that makes the dataset again, if it drew when it was made.
    """

    dataset: Any
    loader: Loader
    iterable: bool
    length: int | None
    worker_init: Any = None
    collate: Any = None
    batch: int | None = None
    persistent: bool = False
    make: Callable[[], Any] | None = None

    @property
    def name(self) -> str:
        """The subject in words."""
        kind = type(self.dataset)
        length = "of unknown length" if self.length is None else f"of {self.length:,}"
        what = {"torch": "torch", "keras": "Keras", "processes": "plain"}[self.loader]
        return f"{kind.__module__}.{kind.__qualname__}, {what} {'iterable' if self.iterable else 'dataset'} {length}"

    def gets_epoch(self) -> bool:
        """Return whether it gets the epoch: by `set_epoch` or `begin_epoch`, or because it reads from a keyed dataset."""
        has = (callable(getattr(self.dataset, name, None)) for name in ("set_epoch", "begin_epoch"))
        return any(has) or any(True for _ in outermost(self.dataset))

    def transform(self) -> tuple[Any, tuple[str, ...]] | None:
        """Return the object with the outermost transform and the names of its attributes, or None."""
        for location in walk(self.dataset, inner):
            attributes = attributes_of(location.thing) or {}
            names = tuple(name for name in _TRANSFORMS if callable(attributes.get(name)))
            if names:
                return location.thing, names
        return None


def inner(location: Location) -> Iterator[Part]:
    """Yield the datasets that a dataset reads from, by the names that are usual."""
    for part in held_by(location.thing):
        if part.step in (".dataset", ".base", ".base_dataset"):
            yield part
        elif part.step == ".datasets" and isinstance(part.thing, list | tuple):
            yield from held_by(part.thing)


def subject_of(dataset: Any, loader: str = "auto") -> Subject:
    """Return the subject for an object.

    Args:
        dataset: a torch dataset or DataLoader, a loader around one, a Keras Sequence, or any object with ``__getitem__`` and ``__len__``, or
            with ``__iter__``.
        loader: "torch", "keras", "processes", or "auto" for the framework of the object's class, otherwise torch if it has
            been imported.

    Raises:
        TypeError: the object can be neither indexed nor iterated.
        ValueError: the object is empty, or there is no such loader.
    """
    _, make = _makers.get(id(dataset), (None, None))
    if loader not in LOADERS:
        raise ValueError(f"loader must be among {', '.join(LOADERS)}, got {loader!r}")
    init, collate, batch, persistent = None, None, None, False
    data: Any = sys.modules.get("torch.utils.data")
    inside = getattr(dataset, "loader", None)
    if data is not None and isinstance(inside, data.DataLoader):  # in timm's PrefetchLoader
        if getattr(dataset, "random_erasing", None) is not None:
            warnings.warn(
                f"{type(dataset).__qualname__} erases in the training process, without a key, which this audit of its samples does not "
                "see: pass use_prefetcher=False to create_loader, which then erases in each sample, or re_prob=0",
                stacklevel=2,
            )
        dataset = inside
    if data is not None and isinstance(dataset, data.DataLoader):
        in_batches = dataset.batch_sampler is not None
        batch = getattr(dataset.batch_sampler, "batch_size", None) if in_batches else None
        collate = dataset.collate_fn if in_batches and not _is_torchs(dataset.collate_fn) else None
        persistent, init, dataset = dataset.persistent_workers, dataset.worker_init_fn, dataset.dataset
    chosen: Any = _loader(dataset) if loader == "auto" else loader
    iterable = data is not None and isinstance(dataset, data.IterableDataset)
    if not iterable and not _indexable(dataset):
        if not hasattr(dataset, "__iter__"):
            raise TypeError(
                f"dataset must have __getitem__ and __len__, or __iter__, got {type(dataset).__qualname__}: pass an instance "
                "of a dataset"
            )
        iterable = True
    length = None if iterable else _length(dataset)
    if length == 0:
        raise ValueError("dataset must have at least one sample, got length 0: check its path")
    return Subject(dataset, chosen, iterable, length, init, collate, batch, persistent, make)


def load(target: str) -> Any:
    """Import the object named by ``MODULE:OBJECT``, and call it if it is a class or a function.

    Raises ValueError if the text has another form, the module cannot be imported, or the object is missing or needs arguments.
    """
    modules, before = set(sys.modules), _global_marks()
    with Replayed() as entropy, UsersSeeds() as seeds:
        value = _made(target)

    def make() -> Any:
        for name in state.users_modules().keys() - modules:
            del sys.modules[name]  # so that its code runs again
        return _made(target)

    if seeds or entropy.state[1] or _global_marks() != before:
        _makers[id(value)] = value, make
    return value


_makers: dict[int, tuple[Any, Callable[[], Any]]] = {}
"""What `load` has made while generators were used, by its id, and how to make it again."""


def _global_marks() -> list[Any]:
    """Return the states of the generators that a dataset may draw from when it is made."""
    torch: Any = sys.modules.get("torch")
    drew = False
    if torch is not None:  # in another state than the one that its seed gives
        begun = torch.Generator().manual_seed(torch.initial_seed()).get_state()
        drew = not torch.equal(begun, torch.default_generator.get_state())
    return [random.getstate(), repr(np.random.get_state()), drew]


def _made(target: str) -> Any:
    value = import_object(target)
    if callable(value) and (
        isinstance(value, type) or (not _indexable(value) and not hasattr(value, "__iter__"))
    ):
        try:
            return value()
        except Exception as error:
            raise ValueError(
                f"{target} was called without arguments and raised {type(error).__name__}: {error}. Name an instance, "
                "or a function without arguments that returns one"
            ) from error
    return value


def _loader(dataset: Any) -> Loader:
    for base in type(dataset).__mro__:
        top = base.__module__.partition(".")[0]
        if top in _READERS:
            return _READERS[top]
        if top in ("keras", "tf_keras") and base.__name__ in ("PyDataset", "Sequence"):
            return "keras"
    return "torch" if "torch" in sys.modules else "processes"


def _is_torchs(collate: Any) -> bool:
    return str(getattr(collate, "__module__", "")).startswith("torch.utils.data.")


def _indexable(dataset: Any) -> bool:
    return hasattr(dataset, "__getitem__") and (
        hasattr(dataset, "__len__") or hasattr(dataset, "num_batches")
    )


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception as error:
        batches = getattr(dataset, "num_batches", None)
        if isinstance(batches, int):
            return batches
        raise TypeError(
            f"len(dataset) raised {type(error).__name__}: {error}. Return the number of samples"
        ) from error
