"""Run code with keyed generators, and check it."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from seedsafe.bridging.call_count import CallCount
from seedsafe.bridging.entropy import SeedLog
from seedsafe.bridging.equal import Group
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.regions import regions
from seedsafe.bridging.same import content
from seedsafe.bridging.search import MOST, Search, find
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.threads import others_run, undisturbed
from seedsafe.bridging.watch import KEYS, Call, Marks, Run, Watch, trace
from seedsafe.bridging.words import other_address
from seedsafe.ground.process import is_worker
from seedsafe.keys import seeding
from seedsafe.keys.key import Address

__all__ = ["KEYS", "KeyCheck", "Runner"]


class _Before(NamedTuple):
    """What a process has found out about an object before another process unpickles it."""

    calls: CallCount
    groups: dict[str, Group]
    told: set[tuple[str, ...]]


_EQUAL: Final = (
    'Pass Bridge(equal="together") if generators in equal states are meant to give equal numbers, as for an image and its '
    'mask: then make them before the bridge. Pass Bridge(equal="apart") if each is meant to have a stream of its own'
)


class Runner:
    """Runs calls of one object under keys.

    It watches the first 32 calls of a run, counted over all workers and epochs, and then calls 64, 128, 256 and so on; see
    Watch. It searches the object for generators once, before workers start, and again if a process's first call finds or
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
        self._calls = CallCount() if _before is None else _before.calls
        self._groups = {} if _before is None else _before.groups
        self._told = set() if _before is None else _before.told
        self._watch = Watch(label, self._calls, self._trace, self._hints)
        self._process = -1
        seeding.listen()
        # An object that is being unpickled may not be complete: the first call searches it.
        self._search: Search | None = self._find() if _before is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        self._refresh({})  # generators may have moved to other paths
        groups = {path: group._replace(thing=None) for path, group in self.search().groups.items()}
        return _unpickle, (self.root, self.options, self.label, _Before(self._calls, groups, self._told))

    @property
    def verdict(self) -> str:
        """Return "verified" if a watched call drew from keyed generators and all watched results could be compared.

        Calls in workers count too.
        """
        return self._calls.verdict

    def search(self) -> Search:
        """Return the search of the object, repeated only if a generator was replaced."""
        if self._search is None or self._search.stale():
            self._search = self._find()
        return self._search

    def joined(self) -> list[list[str]]:
        """Return the paths of the generators that share a stream, because they were found in equal states."""
        return list(self.search().joined().values())

    def _find(self, *, joins: bool = True) -> Search:
        """Search the object. Generators that an earlier search has found keep their groups."""
        search = find(self.root, self._groups, joins=joins and self.options.equal != "apart")
        self._groups = search.groups
        self._tell(
            {(name, str(len(paths))): paths for name, paths in search.joined().items()},
            "share one stream, because they were found in equal states, so their numbers are equal",
        )
        return search

    def _tell(self, groups: Mapping[tuple[str, ...], Sequence[str]], fault: str) -> None:
        """Warn once of groups of generators in equal states, also if they are at other paths later.

        Args:
            groups: the paths of each group, by what does not change when they do.
            fault: the verb and what follows, for one group.
        """
        new = [paths for name, paths in groups.items() if not {name, tuple(paths)} & self._told]
        self._told.update(groups, map(tuple, new))
        if new and self.options.equal is None:
            named = "; ".join(", ".join(paths) for paths in new)
            warnings.warn(f"{self.label} has generators that {fault}: {named}. {_EQUAL}", stacklevel=4)

    def _tell_of_later_pairs(self) -> None:
        """Warn of generators that have become equal since the search, so that they do not share a stream."""
        self._tell(
            {pair: pair for pair in self.search().made_equal()},
            "are in equal states now, but were not when it was bridged, so their numbers differ",
        )

    def sources(self) -> tuple[Source, ...]:
        """Return all sources to key for a call."""
        return (*globals_for(self.options, one_thread=True), *self.search().sources)

    def run(
        self,
        address: Address,
        call: Call,
        later: Callable[[], Call] | None = None,
        *,
        repeatable: Call | None = None,
    ) -> Any:
        """Call `call(address)`, with all generators keyed from the words at the address.

        Args:
            address: the address of the words.
            call: the call.
            later: returns an equal call to repeat later, if the arguments of this one may have changed by then; None if they
                cannot change.
            repeatable: the same call in a form that can be repeated at once, if `call` changes its arguments. It is not repeated
                after later calls.

        Raises:
            NotReproducible: see Watch.
        """
        number = self._calls.count() if self.options.verify else 0
        watched = self.options.verify and (number <= KEYS or not number & (number - 1))
        if watched or self._process != regions.process:
            watch = self._watch if watched else None
            return Region(address, ()).run(  # one thread at a time
                lambda at: self._run_slowly(
                    at, repeatable or call, watch, number, later, keeps=repeatable is None
                )
            )
        if others_run():
            return Region(address, ()).run(lambda at: self._trace(at, repeatable or call)).result
        return Region(address, self.sources()).run(call)

    def verify(self, addresses: list[Address], call: Call) -> str:
        """Run a call for several addresses, and return "verified", or "unverified" if it drew nothing.

        Raises:
            NotReproducible: see Watch.
        """
        calls = CallCount()
        watch = Watch(self.label, calls, self._trace, self._hints)
        for number, address in enumerate(addresses, 1):
            Region(address, ()).run(partial(self._run_slowly, call=call, watch=watch, number=number))
        self._calls.note(calls.flags)
        return calls.verdict

    def _run_slowly(
        self,
        address: Address,
        call: Call,
        watch: Watch | None,
        number: int,
        later: Callable[[], Call] | None = None,
        *,
        keeps: bool = True,
    ) -> Any:
        """Run a call, and repeat it if generators came that were not keyed in it."""
        self._refresh({})
        if self._process != regions.process or not is_worker():
            self._tell_of_later_pairs()
        run, seeds = self._trace_seeds(address, call)
        for _ in range(3):
            if not self._refresh(run.marks):
                break
            self._tell_of_later_pairs()
            run, seeds = self._trace_seeds(address, call)
        self._process = regions.process
        if watch is None:
            return run.result
        watch.note_seeds(address, seeds, number)
        return watch.check(run, address, call, later, keeps)

    def _trace_seeds(self, address: Address, call: Call) -> tuple[Run, set[str]]:
        log = SeedLog(of_globals=False)
        try:
            with log as seeds:
                return self._trace(address, call), seeds
        except BaseException:  # an interrupt on entering or leaving
            log.__exit__()
            raise

    def _trace(self, address: Address, call: Call) -> Run:
        """Run a call, as often as it takes if other threads may have drawn meanwhile."""
        if not others_run():
            return trace(address, call, self.sources())
        shared = [source.name for source in globals_for(self.options)]
        return undisturbed(lambda: trace(address, call, self.sources()), shared, self.label)

    def _refresh(self, marks: Marks) -> bool:
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
        if others_run():
            names = [
                thread.name for thread in threading.enumerate() if thread is not threading.current_thread()
            ]
            hints.append(
                f"read in worker processes (num_workers=2) if another thread ({', '.join(names)}) draws from them"
            )
        if self.search().incomplete:
            hints.append(
                f"store its generator nearer to it: the search covers only the first {MOST} objects below it"
            )
        return hints


def _unpickle(root: Any, options: Bridge, label: str, before: _Before) -> Runner:
    return Runner(root, options, label, _before=before)


class KeyCheck:
    """Runs the first calls of a user's augmentation twice, with generators in different states.

    Both results for a key must be equal. Calls that fail are left to the actual call.

    Args:
        root: the augmentation.
        label: its name in errors.
    """

    def __init__(self, root: Any, label: str) -> None:
        self.root, self.label = root, label
        self.calls_left = KEYS
        """The number of calls still to check."""

    def _sources(self) -> tuple[Source, ...]:
        return (*globals_for(Bridge(), one_thread=True), *find(self.root).sources)

    def marks(self) -> list[Any]:
        """Return the states of the generators that it could draw from."""
        return [source.mark() for source in self._sources()]

    def _runs(self, call: Callable[[], Any], address: Address) -> list[Run]:
        # Outside a region, seeds that the code sets itself are as it sets them.
        sources, places = self._sources(), (address, other_address(address))
        try:
            return [trace(at, lambda _: content(call()), sources, follows=False) for at in places]
        except NotReproducible:
            raise
        except Exception:  # noqa: BLE001  # the user's code
            return []

    def check(self, address: Address, call: Callable[[], Any]) -> None:
        """Run a call twice.

        Raises:
            NotReproducible: its results differ.
        """
        runs = Region(address, ()).run(partial(self._runs, call))  # one thread at a time
        if not runs or runs[0].result == runs[1].result:
            return
        first, _ = runs
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
