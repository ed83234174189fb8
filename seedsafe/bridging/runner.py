"""Run code with keyed generators, and check it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from seedsafe.bridging.entropy import SeedLog
from seedsafe.bridging.equal import Group
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.same import Content, content
from seedsafe.bridging.search import MOST, Search, find
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.turns import turns
from seedsafe.bridging.words import Words, other_address
from seedsafe.ground.process import is_worker
from seedsafe.keys import seeding
from seedsafe.keys.key import Address

__all__ = ["KEYS", "Runner", "Tally", "Twice"]

_DRAWN: Final = 1
"""A call drew from a keyed generator."""

_UNSEEN: Final = 2
"""A result has a part that cannot be compared."""


class Tally:
    """The number of calls and their flags, in memory that workers share with the process that starts them.

    Two processes that count at once may return a number twice, but leave none out. A copy starts from zero, unless it goes
    to a worker at its start.

    Example:
        >>> tally = Tally()
        >>> tally.count(), tally.count()
        (1, 2)
    """

    def __init__(self, memory: Any = None) -> None:
        from multiprocessing.sharedctypes import RawArray  # not needed to import a bridge

        self._memory: Any = RawArray("Q", 2) if memory is None else memory
        self._view = memoryview(self._memory).cast("B").cast("Q")

    def count(self) -> int:
        """Return the number of a call, from 1."""
        number = self._view[0] + 1
        self._view[0] = number
        return number

    def note(self, flags: int) -> None:
        """Set _DRAWN or _UNSEEN."""
        self._view[1] |= flags

    @property
    def flags(self) -> int:
        """The flags so far."""
        return self._view[1]

    @property
    def verdict(self) -> str:
        """Return "verified" if a call drew and all results could be compared, else "unverified"."""
        return "verified" if self.flags == _DRAWN else "unverified"

    def __reduce__(self) -> tuple[Any, ...]:
        from multiprocessing.context import get_spawning_popen

        return Tally, (self._memory,) if get_spawning_popen() is not None else ()


KEYS = 32
"""The number of calls at the start of a run that are all watched."""

_Call = Callable[[Address], Any]
_Marks = dict[str, tuple[Any, Any]]
"""Each source's state before and after a call, by name."""


class _Run(NamedTuple):
    """A call's result, and the states of the sources around it."""

    result: Any
    marks: _Marks


class _First(NamedTuple):
    address: Address
    call: _Call
    content: Content


class _Watch:
    """Checks calls of one object in one process.

    It runs each call for its key, for another key, and for its key again. In between, it repeats the first call that it
    watched in this epoch, because a dataset may change with the epoch. If two results for one key differ, or their draws do,
    the object has randomness that a bridge does not reach, or depends on earlier samples. If the generators end in the same
    state for two keys, the object seeds them itself.

    Args:
        label: the object's name in errors.
        tally: gets the flags.
        trace: runs a call.
        hints: returns further ways out, for errors.
    """

    def __init__(
        self,
        label: str,
        tally: Tally,
        trace: Callable[[Address, _Call], _Run],
        hints: Callable[[], list[str]],
    ) -> None:
        self._label, self._tally, self._trace, self._hints = label, tally, trace, hints
        self._first: _First | None = None
        self._ends: dict[str, list[tuple[Any, Any]]] = {}
        self._indices: set[int] = set()
        self._seeds: set[str] | None = None

    def check(
        self, run: _Run, address: Address, call: _Call, later: Callable[[], _Call] | None = None
    ) -> Any:
        """Repeat a call after its first run, and return the last result.

        The object may have overwritten the memory of the earlier ones.

        Raises:
            NotReproducible: see _Watch.
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
        if first is None:
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
            self._tally.note(_DRAWN)
        if result.unseen:
            self._tally.note(_UNSEEN)
        return second.result

    def _try(self, address: Address, call: _Call) -> _Run | None:
        """Run a call of another sample. Return None if it fails, which is not this sample's fault."""
        try:
            return self._trace(address, call)
        except NotReproducible:
            raise
        except Exception:  # noqa: BLE001  # the user's code
            return None

    def _note(self, marks: _Marks) -> None:
        for name, (before, after) in marks.items():
            if before == after:
                continue
            self._tally.note(_DRAWN)
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

    def _refusal(self, marks: _Marks, fault: str) -> NotReproducible:
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


def _draws_differ(marks: _Marks, second: _Marks) -> bool:
    """Return whether a generator ended differently after the same start: the object may keep its first draws."""
    return any(
        before == second[name][0] and after != second[name][1]
        for name, (before, after) in marks.items()
        if name in second
    )


class _Before(NamedTuple):
    """What a process has found out about an object before another process unpickles it."""

    tally: Tally
    groups: dict[str, Group]
    told: set[tuple[str, ...]]


_EQUAL: Final = (
    'Pass Bridge(equal="together") if generators in equal states are meant to give equal numbers, as for an image and its '
    'mask: then make them before the bridge. Pass Bridge(equal="apart") if each is meant to have a stream of its own'
)


class Runner:
    """Runs calls of one object under keys.

    It watches the first 32 calls of a run, counted over all workers and epochs, and then calls 64, 128, 256 and so on; see
    _Watch. It searches the object for generators once, before workers start, and again if a process's first call finds or
    leaves it changed.

    Args:
        root: the dataset or callable to search for stored generators and hooks.
        options: see Bridge.
        label: the object's name in errors.
    """

    def __init__(self, root: Any, options: Bridge, label: str, *, _before: _Before | None = None) -> None:
        self.root = root
        self.options = options
        self.label = label
        self._tally = Tally() if _before is None else _before.tally
        self._groups = {} if _before is None else _before.groups
        self._told = set() if _before is None else _before.told
        self._watch = _Watch(label, self._tally, self._trace, self._hints)
        self._process = -1
        seeding.listen()
        # An object that is being unpickled may not be complete: the first call searches it.
        self._search: Search | None = self._find() if _before is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        groups = {path: group._replace(thing=None) for path, group in self.search().groups.items()}
        return _unpickle, (self.root, self.options, self.label, _Before(self._tally, groups, self._told))

    @property
    def verdict(self) -> str:
        """Return "verified" if a watched call drew from keyed generators and all watched results could be compared.

        Calls in workers count too.
        """
        return self._tally.verdict

    def search(self) -> Search:
        """Return the search of the object, repeated only if a generator was replaced."""
        if self._search is None or self._search.stale():
            self._search = self._find()
        return self._search

    def joined(self) -> list[list[str]]:
        """Return the paths of the generators that share a stream, because they were found in equal states."""
        return self.search().joined()

    def _find(self, *, joins: bool = True) -> Search:
        """Search the object. Generators that an earlier search has found keep their groups."""
        search = find(self.root, self._groups, joins=joins and self.options.equal != "apart")
        self._groups = search.groups
        for paths in search.joined():
            self._tell(
                paths, "share one stream, because they were found in equal states, so their numbers are equal"
            )
        return search

    def _tell(self, paths: Sequence[str], fault: str) -> None:
        """Warn once of generators in equal states."""
        if self.options.equal is None and tuple(paths) not in self._told:
            self._told.add(tuple(paths))
            warnings.warn(
                f"{self.label} has generators that {fault}: {', '.join(paths)}. {_EQUAL}", stacklevel=4
            )

    def _tell_of_later_pairs(self) -> None:
        """Warn of generators that have become equal since the search, so that they do not share a stream."""
        for pair in self.search().made_equal():
            self._tell(
                pair, "are in equal states now, but were not when it was bridged, so their numbers differ"
            )

    def sources(self) -> tuple[Source, ...]:
        """Return all sources to key for a call."""
        return (*globals_for(self.options, one_thread=True), *self.search().sources)

    def run(self, address: Address, call: _Call, later: Callable[[], _Call] | None = None) -> Any:
        """Call `call(address)`, with all generators keyed from the words at the address.

        Args:
            address: the address of the words.
            call: the call.
            later: makes an equal call to repeat later, if the arguments of this one may have changed by then; None if they
                cannot change.

        Raises:
            NotReproducible: see _Watch.
        """
        number = self._tally.count() if self.options.verify else 0
        watched = self.options.verify and (number <= KEYS or not number & (number - 1))
        if watched or self._process != turns.process:
            with Region(address, ()):  # one thread at a time
                return self._run_slowly(address, call, self._watch if watched else None, number, later)
        with Region(address, self.sources()):
            return call(address)

    def verify(self, addresses: list[Address], call: _Call) -> str:
        """Run a call for several addresses, and return "verified", or "unverified" if it drew nothing.

        Raises:
            NotReproducible: see _Watch.
        """
        tally = Tally()
        watch = _Watch(self.label, tally, self._trace, self._hints)
        for number, address in enumerate(addresses, 1):
            with Region(address, ()):
                self._run_slowly(address, call, watch, number)
        self._tally.note(tally.flags)
        return tally.verdict

    def _run_slowly(
        self,
        address: Address,
        call: _Call,
        watch: _Watch | None,
        number: int,
        later: Callable[[], _Call] | None = None,
    ) -> Any:
        """Run a call, and repeat it if generators came that were not keyed in it."""
        self._refresh({})
        if self._process != turns.process or not is_worker():
            self._tell_of_later_pairs()
        run, seeds = self._trace_seeds(address, call)
        for _ in range(3):
            if not self._refresh(run.marks):
                break
            self._tell_of_later_pairs()
            run, seeds = self._trace_seeds(address, call)
        self._process = turns.process
        if watch is None:
            return run.result
        watch.note_seeds(address, seeds, number)
        return watch.check(run, address, call, later)

    def _trace_seeds(self, address: Address, call: _Call) -> tuple[_Run, set[str]]:
        with SeedLog(of_globals=False) as seeds:
            run = self._trace(address, call)
        return run, seeds

    def _trace(self, address: Address, call: _Call) -> _Run:
        return trace(address, call, self.sources())

    def _refresh(self, marks: _Marks) -> bool:
        """Search the object again if it has changed, and return whether its sources differ from those marked."""
        if self._search is None or self._search.changed():
            self._search = self._find(joins=not marks)
        return set(marks) != {source.name for source in self.sources()}

    def _hints(self) -> list[str]:
        """Return ways out for libraries that are not keyed, and for an incomplete search."""
        hints = [
            f"pass Bridge({option}=True) if it draws from {library}"
            for option, module, library in (
                ("opencv", "cv2", "OpenCV"),
                ("tensorflow", "tensorflow", "TensorFlow"),
            )
            if module in sys.modules and not getattr(self.options, option)
        ]
        if self.search().incomplete:
            hints.append(
                f"store its generator nearer to it: the search covers only the first {MOST} objects below it"
            )
        return hints


def _unpickle(root: Any, options: Bridge, label: str, before: _Before) -> Runner:
    return Runner(root, options, label, _before=before)


def trace(address: Address, call: _Call, sources: tuple[Source, ...], *, follows: bool = True) -> _Run:
    """Run a call with sources keyed from the words at an address, and mark each source before and after."""
    with Region(address, sources, follows=follows):
        before = [source.mark() for source in sources]
        words = Words(address)
        for source in sources:
            source.key(words)  # marking may have moved it
        result = call(address)
        after = [source.mark() for source in sources]
    names = [source.name for source in sources]
    return _Run(result, {name: (b, a) for name, b, a in zip(names, before, after, strict=True)})


class Twice:
    """Runs the first calls of a user's augmentation twice, with generators in different states.

    Both results for a key must be equal. Calls that fail are left to the actual call.

    Args:
        root: the augmentation.
        label: its name in errors.
    """

    def __init__(self, root: Any, label: str) -> None:
        self.root, self.label = root, label
        self.left = KEYS
        """The number of calls still to check."""

    def _sources(self) -> tuple[Source, ...]:
        return (*globals_for(Bridge(), one_thread=True), *find(self.root).sources)

    def marks(self) -> list[Any]:
        """Return the states of the generators that it could draw from."""
        return [source.mark() for source in self._sources()]

    def check(self, address: Address, call: Callable[[], Any]) -> None:
        """Run a call twice.

        Raises:
            NotReproducible: its results differ.
        """
        with Region(address, ()):  # one thread at a time
            sources = self._sources()
            try:
                # Outside a region, seeds that the code sets itself are as it sets them.
                first = trace(address, lambda _: content(call()), sources, follows=False)
                second = trace(other_address(address), lambda _: content(call()), sources, follows=False)
            except NotReproducible:
                raise
            except Exception:  # noqa: BLE001  # the user's code
                return
        if first.result == second.result:
            return
        names = [name for name, (before, after) in first.marks.items() if before != after]
        fault = (
            f"draws from {', '.join(names)}"
            if names
            else "keeps something from call to call, or draws elsewhere"
        )
        raise NotReproducible(
            f"{self.label} gave two results for one key when it was run twice: it {fault}. Let it draw from its key alone: from "
            "the rng of draw, or from seedsafe.generator(key)"
        )
