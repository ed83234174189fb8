"""Runner: calls somebody's code with every generator keyed, and checks in its first calls that this is enough."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.same import same
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.stored import Found, find
from seedsafe.bridging.words import Words, elsewhere
from seedsafe.key import Address

__all__ = ["KEYS", "Runner"]

KEYS = 32
"""The calls that are watched: of more, none is."""


class Runner:
    """Runs calls of one object under keys.

    The first call is made three times: for its key, for another one, and for its key again. If the first and the last
    result differ, or what they drew, the object's randomness is out of reach. That is repeated until a generator has been drawn from, for
    at most 32 calls; and the generators' states after the first 32 keys are compared: two keys that end in one state were
    seeded alike by the object itself.

    Args:
        root: the dataset or callable whose stored generators and hooks are looked for.
        options: see Bridge.
        label: how errors call the object.
    """

    def __init__(self, root: Any, options: Bridge, label: str) -> None:
        self.root = root
        self.options = options
        self.label = label
        self.verdict = "unverified"
        self._found: Found | None = None
        self._check = _Check() if options.verify else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Runner, (self.root, self.options, self.label)

    @property
    def found(self) -> Found:
        """What is stored below the object, looked for once; again only where a generator was replaced."""
        if self._found is None or self._found.stale():
            self._found = find(self.root)
        return self._found

    def sources(self) -> tuple[Source, ...]:
        """Return everything that is keyed for a call."""
        return (*globals_for(self.options), *self.found.sources)

    def run(self, place: Address, call: Callable[[Address], Any]) -> Any:
        """Return what the call returns when it is given a place, under the words there.

        Raises:
            NotReproducible: see Runner.
        """
        if self._check is None:
            with Region(place, self.sources()):
                return call(place)
        with Region(place, ()):  # one thread at a time: another may have ended the watch meanwhile
            return self._watched(place, call)

    def verify(self, places: list[Address], call: Callable[[Address], Any]) -> str:
        """Run a call for several places, and return "verified", or "unverified" where nothing was drawn.

        Raises:
            NotReproducible: see Runner.
        """
        before, self._check = self._check, _Check(len(places))
        try:
            for place in places:
                self.run(place, call)
        finally:
            self._check = before
        return self.verdict

    def _watched(self, place: Address, call: Callable[[Address], Any]) -> Any:
        check = self._check
        if check is None:
            return self.run(place, call)
        check.calls += 1
        if check.calls >= check.keys:
            self._check = None
        made, drawn = self._marked(place, call)
        if not check.fired:
            for _ in range(3):
                if not self._grown(drawn):
                    break
                made, drawn = self._marked(place, call)
            unlike, other = self._marked(elsewhere(place), call)
            again, redrawn = self._marked(place, call)
            if not same(made, again):
                raise self._refusal(drawn, "gave two results")
            if _differently(drawn, redrawn):
                raise self._refusal(drawn, "drew differently")
            self._note(check, other)
            if not same(made, unlike):  # drawn through a hook, whose generators are out of sight
                check.fired = True
                self.verdict = "verified"
        self._note(check, drawn)
        return made

    def _marked(
        self, place: Address, call: Callable[[Address], Any]
    ) -> tuple[Any, dict[str, tuple[Any, Any]]]:
        """Return the result, and each source's state before and after, by name."""
        sources = self.sources()
        with Region(place, sources):
            before = [source.mark() for source in sources]
            words = Words(place)
            for source in sources:
                source.key(words)  # telling the state may have moved it
            made = call(place)
            after = [source.mark() for source in sources]
        names = [source.name for source in sources]
        return made, {name: (b, a) for name, b, a in zip(names, before, after, strict=True)}

    def _grown(self, drawn: dict[str, Any]) -> bool:
        """Return whether the call has loaded a framework or made generators, so that it ran without their keys."""
        self._found = find(self.root)
        return set(drawn) != {source.name for source in self.sources()}

    def _note(self, check: _Check, drawn: dict[str, tuple[Any, Any]]) -> None:
        for name, (before, after) in drawn.items():
            if before == after:
                continue
            check.fired = True
            self.verdict = "verified"
            for start, end in check.ends.setdefault(name, []):
                if end == after and start != before:
                    self.verdict = "unverified"
                    raise NotReproducible(
                        f"{self.label} seeds {name} itself: different keys gave the same draws. "
                        "Remove the seeding from it (np.random.seed, random.seed, torch.manual_seed, or seed= of a "
                        "transform), or pass Bridge(verify=False) if it is meant to draw the same"
                    )
            check.ends[name].append((before, after))

    def _refusal(self, drawn: dict[str, Any], what: str) -> NotReproducible:
        hint = ""
        if "cv2" in sys.modules and not self.options.opencv:
            hint = " Pass Bridge(opencv=True) if it draws from OpenCV."
        return NotReproducible(
            f"{self.label} {what} for one key when it was run twice. Keyed were {', '.join(drawn)}. It keeps "
            "a counter or a cache from call to call, changes its input's owner, or draws from what a bridge does not "
            f"reach: the system's entropy, the clock, a generator made anew in each call.{hint} Let it draw from the "
            "generators named, or give its class a hook: seedsafe.register_hook(cls, hook)"
        )


def _differently(drawn: dict[str, tuple[Any, Any]], redrawn: dict[str, tuple[Any, Any]]) -> bool:
    """Return whether a generator began in one state and ended in two: what was drawn first may have been kept."""
    return any(
        before == redrawn[name][0] and after != redrawn[name][1]
        for name, (before, after) in drawn.items()
        if name in redrawn
    )


class _Check:
    """What the first calls have shown."""

    def __init__(self, keys: int = KEYS) -> None:
        self.keys = keys
        self.calls = 0
        self.fired = False
        self.ends: dict[str, list[tuple[Any, Any]]] = {}
