"""Run code with keyed generators, and check it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from seedsafe.bridging.again import Marks, Run, Undisturbed, content, others_run, within
from seedsafe.bridging.asked import FEW, Asked, in_memory
from seedsafe.bridging.call_count import COPIED, DRAWN, HEARD, MOVED, TOLD, CallCount
from seedsafe.bridging.equal import Group
from seedsafe.bridging.options import LIBRARIES, Bridge, NotReproducible
from seedsafe.bridging.region import Region, SeedLog, regions
from seedsafe.bridging.search import MOST, Search, find
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.walk import Contents, Location
from seedsafe.bridging.watch import KEYS, Call, Watch, is_mixed, trace
from seedsafe.bridging.words import other_address
from seedsafe.ground.process import is_worker
from seedsafe.ground.warning import warn
from seedsafe.keys import seeding
from seedsafe.keys.key import VALIDATION_EPOCH, Address

__all__ = ["KEYS", "KeyCheck", "Runner"]


_NOTHING: Final = f"nothing drew in {KEYS} reads"
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
        must_draw: whether to warn if no watched call draws.
    """

    def __init__(self, root: Any, options: Bridge, label: str, *, must_draw: bool = False) -> None:
        self.root = root
        self.options = options
        self.label = label
        self.must_draw = must_draw
        self._calls = CallCount()
        self._groups: dict[str, Group] = {}
        self._told: set[tuple[str, ...]] = set()
        self._unread: set[str] = set()
        self._begin()
        self._search: Search | None = self._find()

    def _begin(self) -> None:
        """Begin in a process. An object that is being unpickled may not be complete: the first call searches it."""
        self._watch = Watch(self.label, self._calls, self._trace, self._hints, self.root)
        self._undisturbed = Undisturbed(self.label)
        self._process = -1
        self._stored: tuple[Source, ...] | None = None
        self._sources: tuple[Source, ...] = ()
        self._asked: Asked | None = None
        self._keys_all = True
        """Whether all sources are keyed for each call: few are stored, or the object changes in its own calls."""
        seeding.listen()
        self._search = None

    def __getstate__(self) -> dict[str, Any]:
        self._refresh({})  # generators may have moved to other paths
        groups = {path: group._replace(thing=None) for path, group in self.search().groups.items()}
        names = ("root", "options", "label", "must_draw", "_calls", "_told", "_unread")
        return {name: getattr(self, name) for name in names} | {"_groups": groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    @property
    def verdict(self) -> str:
        """Return "verified" if a watched call drew from keyed generators and all watched results could be compared.

        Calls in workers count too.
        """
        return self._calls.verdict

    def report(self) -> str:
        """Return what the bridge has found, in all processes."""
        flags, stored, groups = self._calls.flags, self.search().sources, self.joined()
        found = [name for name, flag in MOVED.items() if flags & flag]
        if stored:
            found.append(f"{len(stored)} stored generator{'s' * (len(stored) > 1)}")
        if groups:
            sizes = "of " + " and ".join(map(str, sorted(set(map(len, groups)))))
            found[-1] += f", {len(groups)} group{'s' * (len(groups) > 1)} {sizes} that move together"
        result = f"keyed: {', '.join(found) or 'nothing yet'}"
        return f"{_NOTHING}; {result}" if self._draws_nothing() else result

    def _draws_nothing(self) -> bool:
        return self.options.verify and self._calls.number >= KEYS and not self._calls.flags & DRAWN

    def listen(self, *, silent: bool) -> None:
        """Let workers leave it to this process to tell that nothing draws, or let nobody tell it."""
        self._calls.note(HEARD | TOLD if silent else HEARD)

    def tell(self) -> None:
        """Warn, once, if the object should draw and the first calls, in all processes, drew nothing."""
        if self.must_draw and self._draws_nothing() and not self._calls.flags & TOLD:
            self._calls.note(TOLD)
            warn(
                f"{_NOTHING} of {self.label}, so its bridge keys nothing: what is augmented once, in __init__, or kept in memory is the "
                "same in every epoch, and another in each run. Draw where a sample is read, in __getitem__; or leave bridge= out "
                "if it is not meant to draw; or pass epoch=seedsafe.VALIDATION_EPOCH if it is a validation set"
            )

    def search(self) -> Search:
        """Return the search of the object, repeated only if a generator was replaced."""
        if self._search is None or self._search.stale():
            self._search = self._find()
        return self._search

    def joined(self) -> list[list[str]]:
        """Return the paths of the generators that share a stream, because they were found in equal states."""
        return [paths for _, paths in self.search().joined()]

    def _find(self, *, in_call: bool = False) -> Search:
        """Search the object. Generators that an earlier search has found keep their groups."""
        equal, before = self.options.equal, self._search
        is_first = self._process != regions.process

        def is_late(location: Location) -> bool:
            # What each process makes in its first call is counted with the others, entries apart, which may be the sample's own.
            return in_call and not (is_first and before is not None and not before.has_entry(location))

        joins = "apart" if in_call else equal
        search = find(self.root, self._groups, joins, is_late)
        self._groups = search.groups
        self._unread |= search.unread
        has_roles = any(group.name != group.family for group in search.groups.values())
        several = ", k-th with k-th where more than two were" if has_roles else ""
        self._tell(
            {
                (min(names), str(len(paths))): paths
                for names, paths in search.joined()
                if len(paths) == 2 or not names & self._unread
            },
            f"share one stream, because they were found in equal states{several}, so their numbers are equal",
        )
        return search

    def _require_roles(self) -> None:
        """Raise NotReproducible if nobody can tell which of more than two generators in equal states belong together."""
        unread = [paths for names, paths in self.search().joined() if len(paths) > 2 and names & self._unread]
        if unread:
            raise NotReproducible(
                f"{self.label} has generators in equal states, {'; '.join(map(', '.join, unread))}, and its structure does not show which of them "
                'belong together, as those of an image and its mask do. Write bridge=seedsafe.Bridge(equal="together") if all are '
                'meant to give equal numbers, or bridge=seedsafe.Bridge(equal="apart") if each is meant to have a stream of its own; '
                "or keep those of the image and those of the mask in two lists of the same classes, in the same order, or in two objects of one "
                "class; or seed them differently"
            )

    def _tell(self, groups: Mapping[tuple[str, ...], Sequence[str]], fault: str) -> None:
        """Warn once of groups of generators in equal states, also if they are at other paths later.

        Args:
            groups: the paths of each group, by what does not change when they do.
            fault: the verb and what follows, for one group.
        """
        new = [paths for name, paths in groups.items() if not {name, tuple(paths)} & self._told]
        self._told.update(groups, map(tuple, new))
        if new and self.options.equal is None:
            named = map(", ".join, new)
            warn(f"{self.label} has generators that {fault}: {'; '.join(named)}. {_EQUAL}")

    def _tell_of_later_pairs(self) -> None:
        """Warn of generators that have become equal since the search, so that they do not share a stream."""
        self._tell(
            {pair: pair for pair in self.search().made_equal()},
            "are in equal states now, but were not when it was bridged, so their numbers differ",
        )

    def sources(self) -> tuple[Source, ...]:
        """Return all sources to key for a call."""
        stored = self.search().sources
        usual = () if getattr(self.root, "own_draws", False) else globals_for(self.options, one_thread=True)
        if stored is not self._stored or len(usual) + len(stored) != len(self._sources):  # torch came
            self._asked, self._keys_all = None, len(in_memory(stored)) <= FEW
            self._stored, self._sources = stored, (*usual, *stored)
        return self._sources

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
        watch = self._watch if number and (number <= KEYS or not number & (number - 1)) else None
        if watch is not None or self._process != regions.process:
            return Region(address, ()).run(  # one thread at a time
                lambda at: self._run_slowly(
                    at, repeatable or call, watch, number, later, keeps=repeatable is None
                )
            )
        if others_run():
            return Region(address, ()).run(lambda at: self._trace(at, repeatable or call)).result
        sources, asked = self.sources(), self._asked
        if asked is None or repeatable is not None or self._calls.flags & COPIED:
            result = Region(address, sources).run(call)
        else:
            result = asked.run(address, call)
        search = self._search
        if search is not None and search.room() != search.seen and repeatable is None:
            if self._refresh({one.name: (None, None) for one in sources}):
                return Region(address, ()).run(lambda at: self._run_slowly(at, call, None, number, later))
            self.search().watch(0)  # one that grows with every read would be searched for nothing
        return result

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
        self._require_roles()
        if self._process != regions.process or not is_worker():
            self._tell_of_later_pairs()
        is_due = not self._keys_all and is_mixed(number)
        contents = Contents(self.root, address.index) if is_due else None
        run, seeds = self._trace_seeds(address, call)
        self._keys_all |= contents is not None and contents.changed("the base") is not None
        for _ in range(3):
            if not self._refresh(run.marks):
                break
            self._tell_of_later_pairs()
            run, seeds = self._trace_seeds(address, call)
        self._learn(run.marks)
        self._process = regions.process
        asked = self._asked if is_due else None
        if watch is None and asked is None:
            return run.result
        found = content(run.result)  # before anything else runs
        if asked is not None and not asked.agrees(address, call, found):
            self._calls.note(COPIED)
        if watch is None:
            return self._trace(address, call).result  # the other run may have overwritten the first one's
        watch.note_seeds(address, seeds, number)
        result = watch.check(run, found, address, call, number, later, keeps)
        is_heard = is_worker() and self._calls.flags & HEARD
        if number >= KEYS and not is_heard and address.moment >> 32 != VALIDATION_EPOCH:
            self.tell()
        return result

    def _learn(self, marks: Marks) -> None:
        """Note which sources a call with all of them keyed has asked."""
        for name, flag in MOVED.items():
            if name in marks and marks[name][0] != marks[name][1]:
                self._calls.note(flag)
        sources = self.sources()
        if self._keys_all:
            self._asked = None
        elif self._asked is None:
            self._asked = Asked(sources, in_memory(self.search().sources), marks)
        else:
            self._asked.note(marks)

    def _trace_seeds(self, address: Address, call: Call) -> tuple[Run, set[str]]:
        return within(SeedLog(), lambda: self._trace(address, call))

    def _trace(self, address: Address, call: Call) -> Run:
        """Run a call, as often as it takes if other threads may have drawn meanwhile."""
        sources = self.sources()
        run = partial(trace, address, call, sources)
        return self._undisturbed.run(run, sources) if others_run() else run()

    def _refresh(self, marks: Marks) -> bool:
        """Search the object again if it has changed, and return whether its sources differ from those marked."""
        if self._search is None or self._search.changed():
            self._search = self._find(in_call=bool(marks))
        return set(marks) != {source.name for source in self.sources()}

    def _hints(self) -> list[str]:
        """Return ways out for libraries that are not keyed, and for an incomplete search."""
        hints = [
            f"pass Bridge({option}=True) if it draws from {library}"
            for option, library in (("opencv", "OpenCV"), ("tensorflow", "TensorFlow"))
            if LIBRARIES[option] in sys.modules and not getattr(self.options, option)
        ]
        if others_run():
            names = {thread.name for thread in threading.enumerate()} - {threading.current_thread().name}
            hints.append(
                f"read in worker processes (num_workers=2) if another thread ({', '.join(sorted(names))}) draws from them"
            )
        if self.search().incomplete:
            hints.append(
                f"store its generator nearer to it: the search covers only the first {MOST} objects below it"
            )
        return hints


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

    def check(self, address: Address, call: Callable[[], Any]) -> None:
        """Run a call twice.

        Raises:
            NotReproducible: its results differ.
        """

        def twice(here: Address) -> list[Run]:
            # Outside a region, seeds that the code sets itself are as it sets them.
            sources, places = self._sources(), (here, other_address(here))
            return [trace(at, lambda _: content(call()), sources, follows=False) for at in places]

        try:
            first, second = Region(address, ()).run(twice)  # one thread at a time
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
