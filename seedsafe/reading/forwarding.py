"""Datasets with the attributes of their base."""

from __future__ import annotations

from copy import copy
from html import escape
from typing import Any, Final

from seedsafe.ground.checks import record_ids
from seedsafe.ground.html import table
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.html import pipeline_table
from seedsafe.pipeline.views import Views
from seedsafe.reading.inside import Keyed
from seedsafe.reading.reader import KeyedReader

__all__ = ["Forwarding"]

_OF_READER: Final = frozenset(
    {"augment", "base", "bridged", "faults", "ids", "index_offset", "seed", "views"}
)

_FIXED: Final = ("bridge", "check_finite", "on_error", "on_unkeyed")


class Forwarding(Keyed):
    """A dataset with a `reader`, which offers the attributes of the reader and of its base as its own.

    Setting an attribute changes the object that has it: setting `transform` of a base reaches the base. Options that are read
    only once, when the dataset is made, cannot be set: `bridge`, `check_finite`, `on_error`, `on_unkeyed`, and `targets` unless the base has
    such an attribute.
    """

    reader: KeyedReader

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure so far, in every worker, by epoch and index."""
        return self.reader.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch. This library's loaders call it.

        Args:
            name: the beginning of the warning.
        """
        self.reader.report_failures(name)

    def manifest(self) -> dict[str, Any]:
        """Return everything but the data that the samples depend on: seed, pipeline, and the versions of all libraries."""
        return self.reader.manifest()

    def _repr_html_(self) -> str:
        """Return the dataset as a table, for notebooks; no sample is read."""
        reader = self.reader
        length = f"{len(reader.base):,}" if hasattr(reader.base, "__len__") else "unknown"
        base = f"base of {length}: {type(reader.base).__qualname__}"
        more = f", {reader.views} views" if reader.views else ""
        title = (
            f"{type(self).__name__}, seed {reader.seed}, {base}{more}{', bridged' if reader.bridged else ''}"
        )
        if isinstance(reader.augment, Compose):
            return pipeline_table(reader.augment, title)
        if isinstance(reader.augment, Views):
            return f"<p>{escape(title)}</p>{reader.augment.tables()}"
        return table(title, ("transform",), [] if reader.augment is None else [(repr(reader.augment),)])

    def __getattr__(self, name: str) -> Any:
        reader = self.__dict__.get("reader")
        if reader is None or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in _OF_READER:
            return getattr(reader, name)
        try:
            return getattr(reader.base, name)
        except AttributeError as error:
            kind, base = type(self).__name__, type(reader.base).__qualname__
            raise AttributeError(
                f"neither {kind} nor its base, a {base}, has the attribute {name!r}"
            ) from error

    def __setattr__(self, name: str, value: Any) -> None:
        reader = self.__dict__.get("reader")
        if reader is None or name.startswith("_") or name in self.__dict__ or hasattr(type(self), name):
            super().__setattr__(name, value)
        elif name in _FIXED or (name == "targets" and not hasattr(reader.base, name)):
            raise AttributeError(
                f"{name} cannot be set after the {type(self).__name__} is made: make another one with {name}={value!r}"
            )
        elif name in _OF_READER:
            if name == "ids" and value is not None:
                value = record_ids(value, len(reader.base))
            changed = copy(reader)  # other views of a sequence share the old one
            setattr(changed, name, value)
            changed.renew()
            self.reader = changed
        elif hasattr(reader.base, name):
            setattr(reader.base, name, value)
            reader.renew()
        else:
            super().__setattr__(name, value)
