"""Step two of a read: the base's sample.

`Fetch` reads it. What is rare wraps that: `Bridged` keys all generators, `EachView` reads the base for each view, `Copied` and `Finite`
look after the sample.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, Protocol

from seedsafe import opencv
from seedsafe.bridging.runner import Runner
from seedsafe.keys import seeding
from seedsafe.keys.ambient import thread
from seedsafe.keys.key import SampleIndex, SampleKey, address, op_of
from seedsafe.reading.augment import joined_views
from seedsafe.reading.checks import DrawChecks
from seedsafe.reading.faults import Skipped, require_finite, require_sample
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.inside import Repeats, entered, key_at
from seedsafe.reading.keying import ById, ByPosition, OfViews
from seedsafe.reading.targets import Targets

__all__ = ["BRIDGE", "Bridged", "Copied", "EachView", "Fetch", "Fetching", "Finite"]

BRIDGE: Final = op_of("seedsafe/bridge")
"""The stream that a bridge keys generators from."""


class Fetching(Protocol):
    """Returns samples of the base."""

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position.

        Args:
            position: the position. It differs from `at` for a sample that replaces another.
            at: the stamped index of the read.
            key: the key of the read, which calls without a key inside the base take; None to make it when one asks.
            counts: False for a read on behalf of another sample, which may have the key of one served before.
        """


class Fetch:
    """Reads the base. Inside the read, the thread has the stamped index and its key.

    Args:
        base: anything with ``base[position]``.
        repeats: notices keys that a dataset inside serves twice.
        keying: makes the key if it is asked for.
        draw_checks: check at times whether the base draws without the key.
    """

    def __init__(
        self, base: Any, repeats: Repeats, keying: ByPosition | ById | OfViews, draw_checks: DrawChecks
    ) -> None:
        self._base, self._repeats, self._late_key, self._draw_checks = base, repeats, keying.key, draw_checks
        seeding.listen()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        seeding.listen()  # in a spawned worker

    def read(
        self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True, checks: bool = True
    ) -> Any:
        """Return the base's sample at a position."""
        if not opencv.done:
            opencv.guard()
        now = self._draw_checks
        now.due_in = due_in = now.due_in - 1
        if due_in <= 0 and checks:
            # a function of its own, with these names in cells, would cost every read
            return now.check(partial(self.read, position, at, key, counts, False), position, at.epoch)
        read = entered(at, self._repeats, at, counts and position == at, key or self._late_key)
        read.outer = (
            thread.read
        )  # a with statement costs 2 % more for small images: benchmarks/sample_checks.py
        thread.read = read
        try:
            sample = self._base[position]
        finally:
            thread.read = read.outer
            if read.numbers:
                self._repeats.has_effect = True
        return require_sample(sample) if sample is None or type(sample) is Skipped else sample


class Bridged:
    """Reads the base with all generators that it touches keyed, and checks at times that a key always gives one sample."""

    def __init__(self, fetch: Fetching, runner: Runner) -> None:
        self._fetch, self._runner = fetch, runner

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position."""
        assert key is not None
        return self._runner.run(
            address(key, BRIDGE),
            lambda words: self._fetch.read(position, at, key_at(key, words), counts),
        )


class EachView:
    """Reads the base once for each view, for a base that draws each view itself."""

    def __init__(self, fetch: Fetching, keying: OfViews, targets: Targets) -> None:
        self._fetch, self._keying, self._targets = fetch, keying, targets

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the views of the base's sample at a position as one sample."""
        assert key is not None
        keys = self._keying.of_views(key)
        return joined_views([self._fetch.read(position, at, view, counts) for view in keys], self._targets)


class Copied:
    """Copies samples: while one is mixed with others, the base reads those, and may reuse its memory."""

    def __init__(self, fetch: Fetching) -> None:
        self._fetch = fetch

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return a copy of the base's sample at a position."""
        return copy_parts(self._fetch.read(position, at, key, counts))


class Finite:
    """Refuses samples of the base with NaN or infinity."""

    def __init__(self, fetch: Fetching) -> None:
        self._fetch = fetch

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position."""
        sample = self._fetch.read(position, at, key, counts)
        require_finite(sample)
        return sample
