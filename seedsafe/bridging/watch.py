"""Watch: makes a call several times, and refuses what does not follow its key."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.same import Content, content
from seedsafe.bridging.shared import DRAWN, UNSEEN, Shared
from seedsafe.bridging.words import elsewhere
from seedsafe.keys.key import Address

__all__ = ["KEYS", "Call", "Marks", "Run", "Watch"]

KEYS = 32
"""The first calls of a run, which are all watched."""

Call = Callable[[Address], Any]
Marks = dict[str, tuple[Any, Any]]
"""Each source's state before and after a call, by name."""


class Run(NamedTuple):
    """A call's result, and what it drew."""

    made: Any
    drawn: Marks


class _First(NamedTuple):
    address: Address
    call: Call
    made: Content


class Watch:
    """What one process sees of an object in the calls that it watches.

    Such a call is made for its key, for another one, and for its key again; in between, the first call that this process
    watched is made again. If two results for one key differ, or what was drawn, the object's randomness is out of reach,
    or it depends on what was read before. The generators' states after all these calls are compared: two keys that end
    in one state were seeded alike by the object itself.

    Args:
        label: how errors call the object.
        shared: where it is noted what was seen.
        marked: makes a call, and returns its result with what was drawn.
        hints: returns what errors say besides.
    """

    def __init__(
        self,
        label: str,
        shared: Shared,
        marked: Callable[[Address, Call], Run],
        hints: Callable[[], str],
    ) -> None:
        self._label, self._shared, self._marked, self._hints = label, shared, marked, hints
        self._first: _First | None = None
        self._ends: dict[str, list[tuple[Any, Any]]] = {}
        self._indices: set[int] = set()
        self._seeds: set[str] | None = None

    def check(self, run: Run, address: Address, call: Call, later: Callable[[], Call] | None = None) -> Any:
        """Return the result of a call that was made once, after making it again.

        It is the last one's: where the object writes to memory that it has returned before, the others are gone.

        Raises:
            NotReproducible: see Watch.
        """
        made = content(run.made)  # before anything else runs
        other = self._other(elsewhere(address), call)
        if self._first is None:
            self._first = _First(address, later() if later else call, made)
        else:
            first = self._other(self._first.address, self._first.call)
            if first is not None and content(first.made) != self._first.made:
                raise self._refusal(run.drawn, _HISTORY)
        again = self._marked(address, call)
        if content(again.made) != made:
            raise self._refusal(run.drawn, _TWICE)
        if _differently(run.drawn, again.drawn):
            raise self._refusal(run.drawn, _KEPT)
        for one in (other, run):
            self._note({} if one is None else one.drawn)
        if other is not None and content(other.made) != made:  # maybe through a hook, out of sight
            self._shared.note(DRAWN)
        if made.unseen:
            self._shared.note(UNSEEN)
        return again.made

    def _other(self, address: Address, call: Call) -> Run | None:
        """Return another call's result, or None if it fails: that is not this sample's fault."""
        try:
            return self._marked(address, call)
        except NotReproducible:
            raise
        except Exception:  # noqa: BLE001  # somebody's code
            return None

    def _note(self, drawn: Marks) -> None:
        for name, (before, after) in drawn.items():
            if before == after:
                continue
            self._shared.note(DRAWN)
            for start, end in self._ends.setdefault(name, []):
                if end == after and start != before:
                    raise NotReproducible(
                        f"{self._label} seeds {name} itself: different keys gave the same draws. "
                        "Remove the seeding from it (np.random.seed, random.seed, torch.manual_seed, or seed= of a "
                        "transform), or pass Bridge(verify=False) if it is meant to draw the same"
                    )
            self._ends[name].append((before, after))

    def note_seeds(self, address: Address, seeds: set[str], number: int) -> None:
        """Note the seeds that a call gave to generators of its own, and warn of constant ones after the first calls.

        Args:
            address: of the call.
            seeds: as SeedsMade lists them.
            number: of the call, in the run.
        """
        self._indices.add(address.index)
        self._seeds = seeds if self._seeds is None else self._seeds & seeds
        if number >= KEYS and self._seeds and len(self._indices) > 1:
            warnings.warn(
                f"{self._label} makes a generator with the same seed in every call ({', '.join(sorted(self._seeds))}), so "
                "that each sample has the same numbers in every epoch: leave the seed out, as in "
                "np.random.default_rng(), or pass Bridge(verify=False) if they are meant to be constant",
                stacklevel=2,
            )
            self._seeds = set()

    def _refusal(self, drawn: Marks, what: str) -> NotReproducible:
        return NotReproducible(
            f"{self._label} {what}. Keyed were {', '.join(drawn)}.{self._hints()} Let it draw from the "
            "generators named, or give its class a hook: seedsafe.register_hook(cls, hook)"
        )


_TWICE = (
    "gave two results for one key when it was run twice: it keeps a counter or a cache from call to call, changes "
    "its input's owner, or draws from what a bridge does not reach (the system's entropy, the clock, "
    "random.Random())"
)
_KEPT = (
    "drew differently for one key when it was run twice: it keeps a counter or a cache from call to call, so that what "
    "was drawn for one key is used for others"
)
_HISTORY = (
    "gave another result for a key after other samples had been read: it keeps earlier samples, as a buffer of images "
    "for mosaics does, or something else that depends on what was read before"
)


def _differently(drawn: Marks, redrawn: Marks) -> bool:
    """Return whether a generator began in one state and ended in two: what was drawn first may have been kept."""
    return any(
        before == redrawn[name][0] and after != redrawn[name][1]
        for name, (before, after) in drawn.items()
        if name in redrawn
    )
