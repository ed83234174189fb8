"""Check calls by several runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from seedsafe.bridging.again import Content, Marks, Run, content, within
from seedsafe.bridging.another_worker import AnotherWorker
from seedsafe.bridging.call_count import DRAWN, UNSEEN, CallCount
from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.sources import Source
from seedsafe.bridging.words import Words, other_address
from seedsafe.ground.warning import warn
from seedsafe.keys.key import Address

__all__ = ["KEYS", "Call", "Watch", "is_mixed", "trace"]

KEYS = 32
"""The number of calls at the start of a run that are all watched."""

Call = Callable[[Address], Any]


def is_mixed(number: int) -> bool:
    """Return whether other runs are mixed with those of a call: the first eight, and 16, 32, 64 and so on."""
    return number <= 8 or not number & (number - 1)


class _First(NamedTuple):
    address: Address
    call: Call
    content: Content


class Watch:
    """Checks calls of one object in one process.

    It runs each call for its key, and for its key again, as another worker would. In between, calls 2, 4, 8, 16 and so on repeat the
    first call that it watched in this epoch, because a dataset may change with the epoch, and the others of the first eight run for
    another key, as all of these do until one was seen to draw. If two results for one key differ, or their draws do, the object has
    randomness that a bridge does not reach, or depends on earlier samples. If the generators end in the same state for two keys,
    the object seeds them itself.

    Args:
        label: the object's name in errors.
        calls: gets the flags.
        trace: runs a call.
        hints: returns further ways out, for errors.
        root: the object.
    """

    def __init__(
        self,
        label: str,
        calls: CallCount,
        trace: Callable[[Address, Call], Run],
        hints: Callable[[], list[str]],
        root: Any = None,
    ) -> None:
        self._root = root
        self._label, self._calls, self._trace, self._hints = label, calls, trace, hints
        self._first: _First | None = None
        self._ends: dict[str, list[tuple[Any, Any]]] = {}
        self._indices: set[int] = set()
        self._seeds: set[str] | None = None

    def check(
        self,
        run: Run,
        result: Content,
        address: Address,
        call: Call,
        number: int,
        later: Callable[[], Call] | None = None,
        keeps: bool = True,
    ) -> Any:
        """Repeat a call after its first run, and return the last result.

        The object may have overwritten the memory of the earlier ones. `result` is the content of the first run's. `number` is that of
        the call in the run; `keeps` is False for a call that cannot be repeated after others.

        Raises:
            NotReproducible: see Watch.
        """
        first, elsewhere = self._first, None
        repeats = first is not None and not number & (number - 1)
        if is_mixed(number) and not (repeats and self._calls.flags & DRAWN):
            elsewhere = self._try(other_address(address), call)
        if first is not None and repeats:
            repeat = self._try(first.address, first.call)
            if repeat is not None and content(repeat.result) != first.content:
                if first.address.moment >> 32 == address.moment >> 32:
                    raise self._refusal(run.marks, _HISTORY)
                first = None  # it may change with the epoch
        if first is None and keeps:
            self._first = _First(address, later() if later else call, result)
        second = self._second(run, result, address, call)
        self._note(run.marks)
        if elsewhere is not None:
            self._note(elsewhere.marks)
            if content(elsewhere.result) != result:  # maybe through a hook
                self._calls.note(DRAWN)
        if result.unseen:
            self._calls.note(UNSEEN)
        return second.result

    def _second(self, run: Run, result: Content, address: Address, call: Call) -> Run:
        """Run a call again as another worker would, and return that run if it equals the first one."""

        def run_as(*shown: str) -> Run:
            run: Run = within(AnotherWorker(self._root, shown), lambda: self._trace(address, call))[0]
            return run

        try:
            second = run_as(*_IDENTITIES)
        except Exception:  # noqa: BLE001  # the user's code may hold something for each worker that there is
            second = self._trace(address, call)
        fault = _difference(run, result, second)
        if fault is None:
            return second
        own = self._trace(address, call)
        follows = [one for one in _IDENTITIES if _difference(run, result, run_as(one)) is not None]
        if follows and all(
            _difference(run, result, one) is None for one in (own, self._trace(address, call))
        ):
            raise NotReproducible(
                f"{self._label} gave another result for a key in another worker: it depends on {' and '.join(follows)}, so on "
                "the number of workers, and may differ from run to run. Let it draw from the keyed generators "
                f"({', '.join(run.marks)}), or take numbers of the sample from seedsafe.current_key()"
            )
        raise self._refusal(run.marks, fault)

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
            warn(
                f"{self._label} makes a generator with the same seed in every call ({', '.join(sorted(self._seeds))}), so "
                "all samples get the same numbers in every epoch: leave the seed out, as in "
                "np.random.default_rng(), or pass Bridge(verify=False) if constant numbers are intended"
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


_IDENTITIES = (AnotherWorker.INFO, AnotherWorker.PROCESS)


def _difference(run: Run, result: Content, second: Run) -> str | None:
    """Return the fault of a call whose second run for a key differs from the first, or None."""
    if content(second.result) != result:
        return _TWICE
    # A generator that ends differently after the same start: the object may keep its first draws.
    pairs = [(marks, second.marks[name]) for name, marks in run.marks.items() if name in second.marks]
    return _DRAWS if any(one[0] == other[0] and one[1] != other[1] for one, other in pairs) else None


def trace(address: Address, call: Call, sources: tuple[Source, ...], *, follows: bool = True) -> Run:
    """Run a call with sources keyed from the words at an address, and mark each source before and after."""

    def marked(_: Address) -> Run:
        before = [source.mark() for source in sources]
        words = Words(address)
        for source in sources:
            if not isinstance(source, Stateful):  # a mark may move it
                source.key(words)
        result = call(address)
        return Run(
            result, {source.name: (mark, source.mark()) for source, mark in zip(sources, before, strict=True)}
        )

    return Region(address, sources, follows=follows).run(marked)
