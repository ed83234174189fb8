"""Runner: calls somebody's code with every generator keyed, and checks some of its calls."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from seedsafe.bridging.entropy import SeedsMade
from seedsafe.bridging.options import Bridge, NotReproducible
from seedsafe.bridging.region import Region
from seedsafe.bridging.same import Content, content
from seedsafe.bridging.search import MOST, Found, find
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.turns import turns
from seedsafe.bridging.words import Words, elsewhere
from seedsafe.keys.key import Address

__all__ = ["DRAWN", "KEYS", "UNSEEN", "Call", "Marks", "Run", "Runner", "Shared", "Twice", "Watch"]

DRAWN: Final = 1
"""A keyed generator was drawn from."""

UNSEEN: Final = 2
"""A sample held what cannot be compared."""


class Shared:
    """How many calls there were, and what was seen in them, in memory that workers share with the process that starts them.

    Two processes that count at once may give one number twice, and leave none out. A copy that is not sent to a worker at its
    start begins anew.

    Example:
        >>> shared = Shared()
        >>> shared.count(), shared.count()
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
        """Remember DRAWN or UNSEEN."""
        self._view[1] |= flags

    @property
    def flags(self) -> int:
        """What was noted."""
        return self._view[1]

    @property
    def verdict(self) -> str:
        """Return "verified" where something was drawn and all could be compared, else "unverified"."""
        return "verified" if self.flags == DRAWN else "unverified"

    def __reduce__(self) -> tuple[Any, ...]:
        from multiprocessing.context import get_spawning_popen

        return Shared, (self._memory,) if get_spawning_popen() is not None else ()


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

    Such a call is made for its key, for another one, and for its key again; in between, the first call of the epoch that this
    process watched is made again: what a dataset does may change from epoch to epoch. If two results for one key differ, or what was drawn, the object's randomness is out of reach,
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
        result = content(run.made)  # before anything else runs
        other = self._other(elsewhere(address), call)
        first = self._first
        if first is not None:
            seen = self._other(first.address, first.call)
            if seen is not None and content(seen.made) != first.made:
                if first.address.moment >> 32 == address.moment >> 32:
                    raise self._refusal(run.drawn, _HISTORY)
                first = None  # it may change with the epoch
        if first is None:
            self._first = _First(address, later() if later else call, result)
        again = self._marked(address, call)
        if content(again.made) != result:
            raise self._refusal(run.drawn, _TWICE)
        if _differently(run.drawn, again.drawn):
            raise self._refusal(run.drawn, _KEPT)
        for one in (other, run):
            self._note({} if one is None else one.drawn)
        if other is not None and content(other.made) != result:  # maybe through a hook, out of sight
            self._shared.note(DRAWN)
        if result.unseen:
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


class Runner:
    """Runs calls of one object under keys.

    The first 32 calls of a run are watched, counted over all of its workers and epochs, and after them calls 64, 128, 256
    and so on; see Watch. What is stored below the object is looked for once, before workers start, and again where it
    has changed when a process makes its first call, or is changed by that.

    Args:
        root: the dataset or callable whose stored generators and hooks are looked for.
        options: see Bridge.
        label: how errors call the object.
    """

    def __init__(self, root: Any, options: Bridge, label: str, *, _shared: Shared | None = None) -> None:
        self.root = root
        self.options = options
        self.label = label
        self._shared = _shared or Shared()
        self._watch = Watch(label, self._shared, self._marked, self._hints)
        self._process = -1
        # What came by pickle may not be whole yet: it is searched at the first call.
        self._found: Found | None = find(root) if _shared is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.root, self.options, self.label, self._shared)

    @property
    def verdict(self) -> str:
        """Return "verified" if keyed generators were drawn from, and all samples that were watched could be compared.

        What workers see is seen here as well.
        """
        return self._shared.verdict

    @property
    def found(self) -> Found:
        """What is stored below the object; looked for again only where a generator was replaced."""
        if self._found is None or self._found.stale():
            self._found = find(self.root)
        return self._found

    def sources(self) -> tuple[Source, ...]:
        """Return everything that is keyed for a call."""
        return (*globals_for(self.options, one_thread=True), *self.found.sources)

    def run(self, address: Address, call: Call, later: Callable[[], Call] | None = None) -> Any:
        """Return what the call returns when it is given an address, under the words there.

        Args:
            address: of the words.
            call: the call.
            later: returns a call that gives the same when this one's arguments may have been written to; the call itself
                where they cannot.

        Raises:
            NotReproducible: see Watch.
        """
        number = self._shared.count() if self.options.verify else 0
        watched = self.options.verify and (number <= KEYS or not number & (number - 1))
        if watched or self._process != turns.process:
            with Region(address, ()):  # one thread at a time
                return self._slowly(address, call, self._watch if watched else None, number, later)
        with Region(address, self.sources()):
            return call(address)

    def verify(self, addresses: list[Address], call: Call) -> str:
        """Run a call for several addresses, and return "verified", or "unverified" where nothing was drawn.

        Raises:
            NotReproducible: see Watch.
        """
        shared = Shared()
        watch = Watch(self.label, shared, self._marked, self._hints)
        for number, address in enumerate(addresses, 1):
            with Region(address, ()):
                self._slowly(address, call, watch, number)
        self._shared.note(shared.flags)
        return shared.verdict

    def _slowly(
        self,
        address: Address,
        call: Call,
        watch: Watch | None,
        number: int,
        later: Callable[[], Call] | None = None,
    ) -> Any:
        """Return a call's result, after looking for generators that were made since the last search, or by the call."""
        self._grown({})
        run, seeds = self._seen(address, call)
        for _ in range(3):
            if not self._grown(run.drawn):
                break
            run, seeds = self._seen(address, call)
        self._process = turns.process
        if watch is None:
            return run.made
        watch.note_seeds(address, seeds, number)
        return watch.check(run, address, call, later)

    def _seen(self, address: Address, call: Call) -> tuple[Run, set[str]]:
        """Return a call's result, and the seeds that it gave to generators of its own."""
        with SeedsMade() as seeds:
            run = self._marked(address, call)
        return run, seeds

    def _marked(self, address: Address, call: Call) -> Run:
        """Return a call's result, and each source's state before and after."""
        return marked(address, call, self.sources())

    def _grown(self, drawn: Marks) -> bool:
        """Return whether a call has loaded a framework or made generators, so that it ran without their keys."""
        if self._found is None or self._found.changed():
            self._found = find(self.root)
        return set(drawn) != {source.name for source in self.sources()}

    def _hints(self) -> str:
        """Return what a refusal says of libraries that are not keyed, and of a search that was not finished."""
        said = [
            f"Pass Bridge({option}=True) if it draws from {library}."
            for option, module, library in (
                ("opencv", "cv2", "OpenCV"),
                ("tensorflow", "tensorflow", "TensorFlow"),
            )
            if module in sys.modules and not getattr(self.options, option)
        ]
        if self.found.ended:
            said.append(
                f"Generators were looked for in the first {MOST} objects below it, and there are more: keep its "
                "generator nearer to it, or register a hook."
            )
        return " ".join(["", *said])


def _received(root: Any, options: Bridge, label: str, shared: Shared) -> Runner:
    """Return a runner that came by pickle."""
    return Runner(root, options, label, _shared=shared)


def marked(address: Address, call: Call, sources: tuple[Source, ...]) -> Run:
    """Return a call's result under the words at an address, and each source's state before and after."""
    with Region(address, sources):
        before = [source.mark() for source in sources]
        words = Words(address)
        for source in sources:
            source.key(words)  # telling the state may have moved it
        result = call(address)
        after = [source.mark() for source in sources]
    names = [source.name for source in sources]
    return Run(result, {name: (b, a) for name, b, a in zip(names, before, after, strict=True)})


class Twice:
    """Makes the first calls of an augmentation that is not the library's own twice, under different words for generators.

    What comes of a key must be the same both times. What cannot be compared, or fails, is left to the call that counts.

    Args:
        root: the augmentation.
        label: how errors call it.
    """

    def __init__(self, root: Any, label: str) -> None:
        self.root, self.label = root, label
        self.left = KEYS
        """How many calls are still to be checked."""

    def _sources(self) -> tuple[Source, ...]:
        return (*globals_for(Bridge(), one_thread=True), *find(self.root).sources)

    def marks(self) -> list[Any]:
        """Return where the generators stand that it could draw from."""
        return [source.mark() for source in self._sources()]

    def check(self, address: Address, call: Callable[[], Any]) -> None:
        """Make a call twice.

        Raises:
            NotReproducible: its results differ.
        """
        with Region(address, ()):  # one thread at a time
            sources = self._sources()
            try:
                one = marked(address, lambda _: content(call()), sources)
                other = marked(elsewhere(address), lambda _: content(call()), sources)
            except NotReproducible:
                raise
            except Exception:  # noqa: BLE001  # somebody's code
                return
        if one.made == other.made:
            return
        drawn = [name for name, (before, after) in one.drawn.items() if before != after]
        raise NotReproducible(
            f"{self.label} gave two results for one key when it was run twice: it "
            + (
                f"draws from {', '.join(drawn)}"
                if drawn
                else "keeps something from call to call, or draws elsewhere"
            )
            + ". Let it draw from its key alone: from the rng of draw, or from seedsafe.generator(key)"
        )
