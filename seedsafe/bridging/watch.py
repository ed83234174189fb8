"""Check calls by several runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from seedsafe.bridging.again import Content, Marks, Run, content, rerun
from seedsafe.bridging.call_count import DRAWN, UNSEEN, CallCount
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.sources import Source
from seedsafe.bridging.words import Words, other_address
from seedsafe.keys.key import Address

__all__ = ["KEYS", "Call", "Watch", "trace"]

KEYS = 32
"""The number of calls at the start of a run that are all watched."""

Call = Callable[[Address], Any]


class _First(NamedTuple):
    address: Address
    call: Call
    content: Content


class Watch:
    """Checks calls of one object in one process.

    It runs each call for its key, for another key, and for its key again. In between, it repeats the first call that it
    watched in this epoch, because a dataset may change with the epoch. If two results for one key differ, or their draws do,
    the object has randomness that a bridge does not reach, or depends on earlier samples. If the generators end in the same
    state for two keys, the object seeds them itself.

    Args:
        label: the object's name in errors.
        calls: gets the flags.
        trace: runs a call.
        hints: returns further ways out, for errors.
    """

    def __init__(
        self,
        label: str,
        calls: CallCount,
        trace: Callable[[Address, Call], Run],
        hints: Callable[[], list[str]],
    ) -> None:
        self._label, self._calls, self._trace, self._hints = label, calls, trace, hints
        self._first: _First | None = None
        self._ends: dict[str, list[tuple[Any, Any]]] = {}
        self._indices: set[int] = set()
        self._seeds: set[str] | None = None

    def check(
        self,
        run: Run,
        address: Address,
        call: Call,
        later: Callable[[], Call] | None = None,
        keeps: bool = True,
    ) -> Any:
        """Repeat a call after its first run, and return the last result.

        The object may have overwritten the memory of the earlier ones. `keeps` is False for a call that cannot be repeated after
        others.

        Raises:
            NotReproducible: see Watch.
        """
        result = content(run.result)  # before anything else runs
        elsewhere = self._try(other_address(address), call)
        first = self._first
        if first is not None:
            repeat = self._try(first.address, first.call)
            if repeat is not None and content(repeat.result) != first.content:
                if first.address.moment >> 32 == address.moment >> 32:
                    raise self._refusal(run.marks, _HISTORY)
                first = None  # it may change with the epoch
        if first is None and keeps:
            self._first = _First(address, later() if later else call, result)
        second = self._trace(address, call)
        if content(second.result) != result:
            raise self._refusal(run.marks, _TWICE)
        if _draws_differ(run.marks, second.marks):
            raise self._refusal(run.marks, _DRAWS)
        if elsewhere is not None:
            self._note(elsewhere.marks)
        self._note(run.marks)
        if elsewhere is not None and content(elsewhere.result) != result:  # maybe through a hook
            self._calls.note(DRAWN)
        if result.unseen:
            self._calls.note(UNSEEN)
        return second.result

    def _try(self, address: Address, call: Call) -> Run | None:
        """Run a call of another sample. Return None if it fails, which is not this sample's fault."""
        try:
            return self._trace(address, call)
        except NotReproducible:
            raise
        except Exception:  # noqa: BLE001  # the user's code
            return None

    def _note(self, marks: Marks) -> None:
        for name, (before, after) in marks.items():
            if before == after:
                continue
            self._calls.note(DRAWN)
            for start, end in self._ends.setdefault(name, []):
                if end == after and start != before:
                    raise NotReproducible(
                        f"{self._label} seeds {name} itself: different keys gave the same draws. "
                        "Remove the seeding from it (np.random.seed, random.seed, torch.manual_seed, or seed= of a "
                        "transform), or pass Bridge(verify=False) if equal draws are intended"
                    )
            self._ends[name].append((before, after))

    def note_seeds(self, address: Address, seeds: set[str], number: int) -> None:
        """Note the seeds that a call passed to new generators, and warn of constant ones after the first calls."""
        self._indices.add(address.index)
        self._seeds = seeds if self._seeds is None else self._seeds & seeds
        if number >= KEYS and self._seeds and len(self._indices) > 1:
            warnings.warn(
                f"{self._label} makes a generator with the same seed in every call ({', '.join(sorted(self._seeds))}), so "
                "all samples get the same numbers in every epoch: leave the seed out, as in "
                "np.random.default_rng(), or pass Bridge(verify=False) if constant numbers are intended",
                stacklevel=2,
            )
            self._seeds = set()

    def _refusal(self, marks: Marks, fault: str) -> NotReproducible:
        ways = [
            f"Let it draw from the keyed generators ({', '.join(marks)})",
            "give its class a hook with seedsafe.register_hook(cls, hook)",
            *self._hints(),
        ]
        return NotReproducible(f"{self._label} {fault}. {', or '.join(ways)}")


_TWICE = (
    "gave two results for one key when it was run twice: it keeps a counter or a cache from call to call, changes "
    "its input's owner, or draws from a source that a bridge does not reach (the system's entropy, the clock, "
    "random.Random())"
)
_DRAWS = (
    "drew differently for one key when it was run twice: it keeps a counter or a cache from call to call, so draws "
    "for one key are used for others"
)
_HISTORY = (
    "gave another result for a key after other samples had been read: it keeps earlier samples, such as a buffer of images "
    "for mosaics, or something else that depends on them"
)


def _draws_differ(marks: Marks, second: Marks) -> bool:
    """Return whether a generator ended differently after the same start: the object may keep its first draws."""
    return any(
        before == second[name][0] and after != second[name][1]
        for name, (before, after) in marks.items()
        if name in second
    )


def trace(address: Address, call: Call, sources: tuple[Source, ...], *, follows: bool = True) -> Run:
    """Run a call with sources keyed from the words at an address, and mark each source before and after."""

    def key() -> None:
        words = Words(address)
        for source in sources:
            source.key(words)  # marking may have moved it

    def marked(_: Address) -> Any:
        before = [source.mark() for source in sources]
        return before, rerun(lambda: call(address), sources, key)

    before, (result, after) = Region(address, sources, follows=follows).run(marked)
    names = [source.name for source in sources]
    return Run(result, dict(zip(names, zip(before, after, strict=True), strict=True)))
