"""Objects with the attributes of another."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from html import escape
from typing import Any

from seedsafe.ground.checks import record_ids, with_article
from seedsafe.ground.html import table
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.html import pipeline_table
from seedsafe.pipeline.views import Views
from seedsafe.reading.bases import Keyed, walk
from seedsafe.reading.reader import KeyedReader

__all__ = ["Forwarding", "PassesOn"]


class PassesOn:
    """An object that stands for another one, as a dataset for its base: attributes that it lacks are read and set on the other.

    An attribute is its own if its class has it, if it was set before, or if the name begins with an underscore. Otherwise it is the other's, if
    that has it. If neither has it, setting it creates it here. If something further inside has it, setting it is an error, because
    nobody would read it.
    """

    stands_for = "base"
    """The attribute that holds the other object."""

    def passes_on_to(self) -> Any:
        """Return the other object, or None while this one is being made."""
        return vars(self).get(self.stands_for)

    def further_inside(self) -> Iterator[Any]:
        """Yield the objects that the other one stands for or reads from. The attributes of this one do not reach them."""
        other = self.passes_on_to()
        return (inside for inside in walk(other) if inside is not other)

    def was_set(self, name: str, *, there: bool) -> None:
        """Note that an attribute was set, on the other object if `there`."""

    def __getattr__(self, name: str) -> Any:
        other = None if name.startswith("_") else self.passes_on_to()
        if other is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            return getattr(other, name)
        except AttributeError as error:
            names = f"{type(self).__name__} nor its {self.stands_for}, {with_article(other)},"
            raise AttributeError(f"neither {names} has the attribute {name!r}") from error

    def __setattr__(self, name: str, value: Any) -> None:
        own = name.startswith("_") or name in vars(self) or hasattr(type(self), name)
        other = None if own else self.passes_on_to()
        there = other is not None and hasattr(other, name)
        if there:
            setattr(other, name, value)
        else:
            # Nobody would read what only something further inside has. A subclass may give itself any attribute.
            ours = other is not None and type(self).__module__.startswith("seedsafe")
            for inside in self.further_inside() if ours else ():
                if hasattr(inside, name):
                    kinds = f"{type(inside).__qualname__} inside, which {with_article(self)}"
                    raise AttributeError(
                        f"{name} is an attribute of the {kinds} does not reach: set it there"
                    )
            super().__setattr__(name, value)
        self.was_set(name, there=there)


def _option(name: str) -> Any:
    """Return the property of an argument that the reader keeps. To set it changes a copy of the reader, because other threads may read."""

    def change(dataset: Any, value: Any) -> None:
        if name == "ids" and value is not None:
            value = record_ids(value, len(dataset.reader.base))
        changed = copy(dataset.reader)
        setattr(changed, name, value)
        changed.renew()
        dataset.reader = changed

    return property(lambda dataset: getattr(dataset.reader, name), change)


def _fixed(name: str) -> Any:
    """Return the property of an argument that is read only once, when a dataset is made. It reads the base's attribute, if that has one."""

    def refuse(dataset: Any, value: Any) -> None:
        if name != "targets" or not hasattr(dataset.reader.base, name):  # which are the labels of some bases
            raise AttributeError(
                f"{name} cannot be set after the {type(dataset).__name__} is made: make another one with {name}={value!r}"
            )
        setattr(dataset.reader.base, name, value)
        dataset.reader.renew()

    return property(None, refuse)


class Forwarding(PassesOn, Keyed):
    """A dataset with a `reader`, which stands for its base: setting `transform` of a base reaches the base.

    Options that are read only once, when the dataset is made, cannot be set: `bridge`, `check_finite`, `on_error`, `on_unkeyed`, and
    `targets` unless the base has such an attribute.
    """

    reader: KeyedReader
    augment, base, bridged, faults = map(_option, ("augment", "base", "bridged", "faults"))
    ids, index_offset, seed, views = map(_option, ("ids", "index_offset", "seed", "views"))
    bridge, check_finite, on_error = map(_fixed, ("bridge", "check_finite", "on_error"))
    on_unkeyed, targets = map(_fixed, ("on_unkeyed", "targets"))

    def passes_on_to(self) -> Any:
        """Return the base."""
        reader = vars(self).get("reader")
        return None if reader is None else reader.base

    def was_set(self, name: str, *, there: bool) -> None:
        """Look at the base again if it was changed."""
        if there:
            self.reader.renew()

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
