"""A dataset offers the attributes of its base as its own, because trainers ask a dataset for them."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from seedsafe.reading.inside import Keyed
from seedsafe.reading.reader import KeyedReader

__all__ = ["Forwarding"]

_OF_READER: Final = frozenset(
    {"augment", "base", "bridged", "faults", "ids", "index_offset", "seed", "views"}
)


class Forwarding(Keyed):
    """A dataset with a `reader`, which has the reader's attributes, and those of its base that it lacks itself.

    An attribute is set where it was found, so that nothing is lost: `transform` of a base reaches the base.
    """

    reader: KeyedReader

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the samples that failed so far, in every worker: the reason by epoch and index."""
        return self.reader.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch; this library's loaders do so by themselves.

        Args:
            name: the beginning of the warning.
        """
        self.reader.report_failures(name)

    def manifest(self) -> dict[str, Any]:
        """Return what the samples depend on besides the data: seed, pipeline, and the versions of all libraries."""
        return self.reader.manifest()

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
        elif name in _OF_READER:
            self.reader = reader = copy(reader)  # views of a sequence share theirs
            setattr(reader, name, value)
            reader.renew()
        elif hasattr(reader.base, name):
            setattr(reader.base, name, value)
            reader.renew()
        else:
            super().__setattr__(name, value)
