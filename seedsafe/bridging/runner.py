"""Runner: calls somebody's code with every generator keyed, and checks some of its calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from seedsafe.bridging.entropy import SeedsMade
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.region import Region
from seedsafe.bridging.search import MOST, Found, find
from seedsafe.bridging.shared import Shared
from seedsafe.bridging.sources import Source, globals_for
from seedsafe.bridging.turns import turns
from seedsafe.bridging.watch import KEYS, Call, Marks, Run, Watch
from seedsafe.bridging.words import Words
from seedsafe.keys.key import Address

__all__ = ["KEYS", "Runner"]


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
        sources = self.sources()
        with Region(address, sources):
            before = [source.mark() for source in sources]
            words = Words(address)
            for source in sources:
                source.key(words)  # telling the state may have moved it
            made = call(address)
            after = [source.mark() for source in sources]
        names = [source.name for source in sources]
        return Run(made, {name: (b, a) for name, b, a in zip(names, before, after, strict=True)})

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
