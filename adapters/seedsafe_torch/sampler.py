"""KeyedSampler: indices stamped with epoch and occurrence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any, Literal, SupportsIndex

from torch import Generator
from torch.utils.data import DataLoader, Sampler

from seedsafe import VALIDATION_EPOCH, SampleKey
from seedsafe.reading import (
    PassesOn,
    Unkeyed,
    checked_int,
    checked_order,
    description,
    explain_arguments,
    held_generators,
    keyed_order,
    nested,
    note_made,
    parts,
)
from seedsafe_torch import frames
from seedsafe_torch.callers import caller_of, warn_of_erasing, warn_of_look
from seedsafe_torch.fetching import users
from seedsafe_torch.order import EpochOrder, InnerEpochs, Stamp, chain_of, numbering, samplers_of
from seedsafe_torch.passes import (
    MANY,
    TWO_OPEN,
    Link,
    Next,
    Pass,
    Progress,
    check_iterable,
    length_of,
    note_pass,
    read_state,
)

__all__ = ["KeyedSampler", "keyed_of"]

_SET = ("set", "set late")
_NO_DRAWS = ("torch.utils.data.", "seedsafe_torch.", "builtins")
"""Modules of samplers without draws of their own: torch's have a generator that is keyed."""
_STARTS = re.compile(
    r"_?(start|first|begin|init|initial|resume|done|completed)_?(at_)?(iter|iteration|step|batch)s?"
)
"""Names of the number of batches that a batch sampler may leave out, or only begin to count at."""
_SECONDS = 0.05
"""The longest search of a sampler for generators."""
_LEFT = (
    "a pass over the loader was left before its second batch and counts as an epoch. "
    "To look at a batch, use seedsafe_torch.peek(loader)"
)


@explain_arguments
class KeyedSampler(PassesOn, Sampler[Any]):
    """Stamp the indices of any sampler with their epoch and occurrence.

    Each pass is the next epoch. To override that, call `set_epoch` here or on the sampler inside. A pass begins with its
    first index, and keeps its epoch if others begin before it ends. For each epoch, a sampler with a torch ``generator`` gets a
    new one, keyed on (seed, epoch), and ``set_epoch`` is passed on. A sampler with neither keeps its own order, and can resume only if that order
    repeats. If the sampler yields a SampleIndex with an occurrence above 0, that occurrence is kept; all others are counted.

    Args:
        sampler: yields indices, or batches of them as a BatchSampler does.
        seed: the seed of the run.
        epoch: a fixed epoch for every pass, or None to count them.
        offset: a number to add to the argument of `set_epoch`, for trainers that do not count from 0.
        occurrence: "rank" numbers the occurrences of rank r of R as r, r + R, r + 2R …, for samplers that give copies of a
            sample to several ranks. Samplers like timm's RepeatAugSampler are recognised without it.

    Raises:
        TypeError: an argument has the wrong type, or the sampler yields something other than indices.
        ValueError: an argument is out of its range, or two epochs were set for one pass.

    Example:
        Each pass is the next epoch:

        >>> sampler = KeyedSampler(range(2), seed=42)
        >>> list(sampler)
        [SampleIndex(0, epoch=0, occurrence=0, view=0), SampleIndex(1, epoch=0, occurrence=0, view=0)]
        >>> [(int(index), index.epoch) for index in sampler]
        [(0, 1), (1, 1)]

        A sampler that repeats indices, and one of batches:

        >>> [(int(index), index.occurrence) for index in KeyedSampler([5, 5, 3], seed=42)]
        [(5, 0), (5, 1), (3, 0)]
        >>> [list(map(int, batch)) for batch in KeyedSampler([[0, 1], [2]], seed=42)]
        [[0, 1], [2]]

        A run that resumes after one index of epoch 7:

        >>> sampler.load_state_dict({"epoch": 7, "yielded": 1})
        >>> [(int(index), index.epoch) for index in sampler]
        [(1, 7)]
    """

    stride = 1
    """The number of ranks that share the items: one item of this sampler counts for that many of the run."""

    def __init__(
        self,
        sampler: Any,
        *,
        seed: SupportsIndex,
        epoch: SupportsIndex | None = None,
        offset: int = 0,
        occurrence: Literal["rank"] | None = None,
    ) -> None:
        check_iterable("sampler", sampler, "pass a list or a Sampler")
        note_made(self)
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.offset = checked_int(
            "offset", offset, -(2**31), 2**31, "pass the number to add to the trainer's epoch"
        )
        self.numbers = numbering(sampler, occurrence)
        self.inner = InnerEpochs()
        self._next = Next()
        self._latest: Progress | None = None  # of the pass that began last
        self._begun: list[Progress] = []  # of the passes that may be open
        self._watch: Callable[[Progress], None] | None = None  # gets the progress of each pass that begins
        self._loading: DataLoader[Any] | None = None  # the one that begins a pass now, if it counts batches
        self._single = False  # whether that one takes single indices
        self._peeks = False  # whether a pass that begins now will be undone
        self._advice: str | None = _LEFT  # None after the warning
        self._asks = True  # whether it has yet to warn of a pass that no DataLoader read
        self._asks_draws = True  # whether it has yet to warn of a sampler that draws
        self.sampler = sampler  # last, because from now on what is set may be the sampler's

    def further_inside(self) -> Iterator[Any]:
        """Yield the samplers inside that one."""
        return islice(chain_of(self.sampler), 1, None)

    stands_for = "sampler"

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, and count on from there. A pass under way keeps its own.

        It warns if workers already read another epoch for a pass that has handed out no batch, because that pass keeps its
        epoch; loaders from `loader` never start that early. It also warns if the call drops a loaded state for an earlier epoch.
        Without an offset, calls by Fabric are ignored: it passes its number of passes, which begins with 0 after a resume.
        """
        caller, progress, plan = caller_of(self), self._latest, self._next
        if caller.counts_passes and not self.offset:
            return
        caller.check_shares(self.stride, fixed=self.epoch is not None)
        meant = caller.epoch(epoch, latest=progress.epoch if progress and progress.ended else None)
        number = checked_int("epoch", meant, 0, 2**32, "pass the epoch's number, 0 for the first")
        way_out = "the last one is reserved for validation, epoch=seedsafe.VALIDATION_EPOCH of a loader or sampler of its own"
        wanted = checked_int("epoch + offset", number + self.offset, 0, VALIDATION_EPOCH, way_out)
        if plan.origin == "loaded" and not plan.skip and caller.has_read(wanted, plan.epoch):
            plan = Next(wanted, len(self) * self.stride)
        if progress is not None and progress.untouched:
            if progress.epoch == wanted:
                return  # it names the pass that has just begun
            frames.warn(
                f"set_epoch({number}) came after workers began to read epoch {progress.epoch}, and the pass under way keeps that "
                "epoch. Call set_epoch before iter(loader), or make the loader with seedsafe_torch.loader"
            )
        if plan.origin == "loaded" and wanted < plan.epoch:
            frames.warn(
                f"set_epoch({number}) drops the loaded state, of epoch {plan.epoch} after {plan.skip} entries, and begins epoch "
                f"{wanted}. To resume from the state, set its epoch or none"
            )
        over = progress is None or progress.counted or progress.ended or progress.dropped
        late = progress is not None and progress.epoch == wanted and not over
        plan = plan if wanted == plan.epoch else Next(wanted)
        self._next = replace(plan, origin="set late" if late else "set")

    def take_epoch(self, epoch: int, where: str) -> None:
        """Take over an epoch that was set elsewhere, on the sampler inside or on the dataset."""
        if self.epoch is not None:
            return
        before = self._next.epoch - self.offset
        if self._next.origin in _SET and before != epoch:
            raise ValueError(
                f"two epochs were set for one pass, {before} and, on {where}, {epoch}: set only one"
            )
        self.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Any]:
        link = Link(self._state)
        if caller_of(self).only_counts:
            with self.peeked():
                return iter(list(self._items(link)))
        result = Pass(self._items(link))
        result.link = link
        return result

    def _span(self) -> int:
        """Return an upper bound of the indices, as far as the samplers' lengths tell."""
        span = 0
        for inside in (self, *chain_of(self.sampler)):
            span = max(span, (length_of(inside) or 0) * int(getattr(inside, "num_replicas", None) or 1))
        return min(span, 2**36)

    def _items(self, link: Link) -> Iterator[Any]:
        """Yield the stamped items of a pass. The first one begins it."""
        link.progress = progress = self._begin(link.loaded)
        span = None if self.order_name else self._span()
        stamp = Stamp(progress.epoch, self.numbers, progress.single, span)
        items = self._pass(progress, stamp)
        wait, before = progress.waiting.append, -1
        while progress.drawn > before:
            before = progress.drawn
            for item in islice(items, MANY):
                stamped = stamp(item)
                wait(stamped)
                yield stamped
            if not progress.counted:
                progress.see(MANY)
        progress.exhausted = True
        progress.ended = not progress.counted

    def _begin(self, state: dict[str, Any] | None) -> Progress:
        """Begin a pass, because its first index is drawn, and return its progress."""
        caller, fixed = caller_of(self), self.epoch is not None
        caller.check_shares(self.stride, fixed=fixed)
        if state is not None:
            self.load_state_dict(state)
        self._listen()
        plan = self._next
        epoch = plan.epoch if self.epoch is None else self.epoch
        reader = None if self._watch or fixed else caller.iterator(self)
        progress = Progress(epoch, plan.skip, plan.order, self._watch is not None, reader, self._single)
        if state is None and progress.spent:
            return progress
        if epoch >= VALIDATION_EPOCH and not fixed:
            raise ValueError(f"epoch {epoch} is reserved for validation: stop training before it")
        if plan.origin == "set late" and not fixed:
            frames.warn(
                f"epoch {epoch} is served again, because set_epoch came after its pass began and so set the next one. Call "
                "set_epoch before iter(loader), or leave it out"
            )
        self._next = Next(plan.epoch if fixed else plan.epoch + 1)
        if not fixed:
            if self._latest is None:
                warn_of_erasing()
            progress.whole = not (warn_of_look() or caller.leaves_passes)
            self._warn_of_other_reader(progress)
            self._note(progress, first=plan == Next())
        self._latest = progress
        self._begun = [*self.open_passes, progress]
        if self._watch is not None:
            self._watch(progress)
        return progress

    def _read_by(self, progress: Progress) -> tuple[Any, Any, Any] | None:
        """Return the dataset, outermost sampler and other options of the DataLoader that reads a pass, or None."""
        loading = self._loading
        if loading is None:
            return progress.read_by
        options = loading.num_workers, getattr(loading, "in_place", None)
        return loading.dataset, next(samplers_of(loading)), options

    def _note(self, progress: Progress, *, first: bool) -> None:
        """Note a pass of a DataLoader, which may be one that is made anew for each epoch."""
        reading = self._read_by(progress)
        if reading is None or self._peeks:
            return
        dataset, samplers, options = reading
        length = (length_of(self) or 0) if progress.counted else 0
        like = description(chain_of(samplers), options)
        whole = lambda: progress.ended or 0 < length <= progress.seen
        note_pass(users(dataset), like, whole, maker=self, loading=self._loading, first=first)

    def resume(self, epoch: int, entries: int) -> None:
        """Begin the next pass after some of this rank's entries of an epoch, or batches if it yields batches."""
        length = length_of(self)
        least = entries if length is None else min(entries, length)
        self.load_state_dict({"epoch": epoch, "yielded": least * self.stride})

    def _warn_of_other_reader(self, progress: Progress) -> None:
        """Warn once if a DataLoader begins after something else has read a whole pass, such as TorchIO's Queue for its length."""
        before = self._latest
        if before is None or before.loads or not (before.exhausted and progress.loads and self._asks):
            return
        self._asks = False
        frames.warn(
            f"something other than a DataLoader read this sampler to its end, which counted as epoch {before.epoch}, and the loader begins with "
            f"epoch {progress.epoch}. Call set_epoch(epoch) before each pass of the loader, or let only loaders read the sampler"
        )

    def _listen(self) -> None:
        """Take over an epoch that was set on the sampler inside."""
        for number in self.inner.changed(self.sampler):
            self.take_epoch(number, "the sampler inside")

    def _leave_out(self, progress: Progress, items: Iterator[Any], stamp: Stamp) -> None:
        """Draw the items that were seen before the state was stored, and compare them with the state."""
        start, epoch, skipped = progress.seen, progress.epoch, 0
        while skipped < start:
            part = [stamp(item) for item in islice(items, min(MANY, start - skipped))]
            if not part:
                raise ValueError(
                    f"the state has {start} entries of epoch {epoch} as yielded, but the pass has only {skipped}: load it into "
                    "a sampler like the one that stored it, or change its 'yielded'"
                )
            skipped += len(part)
            progress.fold(part)
        if start and progress.expected not in (None, progress.order):
            raise ValueError(
                f"the first {start} entries of epoch {epoch} are not those that were yielded before the state was stored: use the "
                "same dataset, sampler and seed, and a sampler with set_epoch or a torch generator"
            )

    def _pass(self, progress: Progress, stamp: Stamp) -> Iterator[Any]:
        """Return the items of a pass after those that it leaves out. Those are stamped too, to count occurrences."""
        held = {} if progress.start else getattr(self.sampler, "__dict__", {})
        for name, number in held.items():
            if _STARTS.fullmatch(name) and isinstance(number, int) and number > 0:
                self._warn_of_start(name, number, progress.epoch)
        self.inner.set(self.sampler, progress.epoch, self.seed)
        if isinstance(self.sampler, EpochOrder) and self.order_name:
            self.check_position(progress, len(self), f"the {self.order_name}")
            return self.sampler.items_from(progress.start)
        items = self._order(progress)
        self._leave_out(progress, items, stamp)
        return items

    @property
    def order_name(self) -> str | None:
        """What a state has as its order if that is addressed, so that no index comes twice, else None."""
        return self.sampler.name if isinstance(self.sampler, EpochOrder) else None

    def check_position(self, progress: Progress, total: int, order: str) -> None:
        """Raise a ValueError unless a pass begins at a position of this order, which is described in words."""
        if progress.start > total or (progress.start and progress.expected not in (None, self.order_name)):
            raise ValueError(
                f"the state, after {progress.start} entries of epoch {progress.epoch}, does not belong to {order}: use the same dataset and "
                "arguments"
            )

    def _warn_of_start(self, name: str, start: int, epoch: int) -> None:
        """Warn if a batch sampler that begins at another number than 0 begins with the same batches, or another epoch inside, all the same."""
        firsts = []
        for number in (0, start):
            one = copy(self.sampler)
            vars(one)[name] = number
            self.inner.set(one, epoch, self.seed)
            firsts.append(next(iter(one), None))
        if firsts[0] == firsts[1] or self.inner.changed(self.sampler):
            frames.warn(
                f"{name}={start} of the {type(self.sampler).__qualname__} leaves no batch out: its batches begin with those of a new run. "
                f"Leave it 0 and call loader.resume(step={start}), which goes on after {start} batches"
            )

    def _order(self, progress: Progress) -> Iterator[Any]:
        """Return the items of the sampler inside, with its draws keyed if the dataset that is read has a bridge, else checked."""
        inside, reading = list(chain_of(self.sampler)), self._read_by(progress)
        begin: Callable[[], Iterator[Any]] = partial(iter, self.sampler)
        if reading is None or all(type(one).__module__.startswith(_NO_DRAWS) for one in inside):
            return begin()
        held = list(_held(inside))
        for dataset in nested(reading[0]):
            if dataset.bridged:
                key = partial(SampleKey, self.seed, progress.epoch)
                return keyed_order(begin, held, key, dataset.reader.bridge)
        unkeyed = Unkeyed(getattr(self._loading, "on_unkeyed", None) or "raise")
        if not self._asks_draws or unkeyed.mildest(reading[0]) == "allow":
            return begin()
        # What a sampler holds may be made anew for each epoch.
        by_epoch = any(hasattr(one, "set_epoch") for one in inside)
        return checked_order(begin, () if by_epoch else held, self._warn_of_draws)

    def _warn_of_draws(self, names: str) -> None:
        self._asks_draws = False
        frames.warn(
            f"the sampler, a {type(self.sampler).__qualname__}, draws from {names}, not from (seed, epoch): its order differs from run to "
            "run, and no run can resume within an epoch. Give it a torch.Generator as its attribute `generator`, or a set_epoch(epoch) "
            "and draw from numpy.random.default_rng((seed, epoch)); or pass bridge=True to the dataset, which keys its draws"
        )

    @contextmanager
    def watched(
        self, watch: Callable[[Progress], None] | None, loading: DataLoader[Any] | None = None
    ) -> Iterator[None]:
        """Pass the progress of each pass that begins inside the with statement to a function, which counts the entries seen.

        Args:
            watch: the function.
            loading: the loader of the pass.
        """
        before = self._watch, self._loading, self._single
        self._watch, self._loading = watch, loading
        self._single = watch is not None and loading is not None and loading.batch_sampler is not self
        try:
            yield
        finally:
            self._watch, self._loading, self._single = before

    @contextmanager
    def peeked(self, loading: DataLoader[Any] | None = None) -> Iterator[None]:
        """Undo the pass, of a loader if it has one, that begins inside the with statement."""
        self._listen()
        before, latest, begun = self._next, self._latest, self._begun
        self._next = replace(before, origin="counted")  # a look does not warn of set_epoch
        self._peeks = True
        try:
            with self.watched(lambda _: None, loading):
                yield
        finally:
            self._peeks = False
            self._next, self._latest, self._begun = before, latest, begun

    @property
    def open_passes(self) -> list[Progress]:
        """The passes that have begun and have more to hand out, in the order in which they began."""
        return [progress for progress in self._begun if progress.open]

    @property
    def loaded_epoch(self) -> int | None:
        """The epoch of a loaded state that no pass has begun with, without the offset, or None."""
        return self._next.epoch - self.offset if self._next.origin == "loaded" else None

    @property
    def all_seen(self) -> bool:
        """Whether the latest pass has handed out all its entries."""
        progress = self._latest
        return progress is None or (progress.exhausted and progress.seen == progress.drawn)

    def warn_of_left_pass(self) -> None:
        """Warn once of a pass that was left after its first batch."""
        advice, self._advice = self._advice, None
        if advice and self.epoch is None:
            frames.warn(advice)

    def state_dict(self) -> dict[str, Any]:
        """Return how far the run has come: the epoch, how many of its entries were seen, and a checksum of their order, or its name
        if it is addressed.

        A loader from `loader` counts the entries of the batches that it handed out. With any other loader, every entry drawn
        counts, also those that workers read ahead of training; StatefulDataLoader corrects that by itself.

        Raises:
            RuntimeError: a pass is open that is not the latest.
        """
        progress = self._latest
        if any(other is not progress for other in self.open_passes):
            raise RuntimeError(TWO_OPEN)
        if progress is None or progress.ended or (progress.dropped and self._next.origin in _SET):
            return self._state(None)
        return self._state(progress)

    def _state(self, progress: Progress | None) -> dict[str, Any]:
        """Return the state of a pass from its progress. For None, return that of the next pass."""
        if progress is None:
            epoch, yielded, order = self._next.epoch, self._next.skip, self._next.order
        else:
            if not progress.counted:
                progress.see(len(progress.waiting))
            epoch, order = progress.epoch, self.order_name or progress.order
            yielded = progress.start + (progress.seen - progress.start) * self.stride
        state = {"epoch": epoch, "yielded": yielded}
        return state | {"order": order} if yielded and order is not None else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume at a state in the next pass, with any number of workers and any batch size.

        Raises:
            TypeError: the state is not a dict, or an entry has the wrong type.
            ValueError: it lacks "epoch" or "yielded". A pass raises it if its order differs from the state's.
        """
        self._next, self._latest, self._begun = read_state(state), None, []


def _held(samplers: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of samplers with their names, and the entries of lists, and then the generators that they or their code hold
    elsewhere: all but the data, and torch's generators, which are keyed."""
    seen, elsewhere = set[int](), list[Any]()
    for one in samplers:
        own = dict(getattr(one, "__dict__", {}))
        if isinstance(own.get("generator"), Generator):
            del own["generator"]
        for name, value in own.items():
            for thing in value if isinstance(value, list | tuple) and len(value) < MANY else (value,):
                seen.add(id(thing))
                yield f"its {name} (a {type(thing).__qualname__})", thing
        data = set(map(id, (*samplers, *parts(one))))
        inside = {name: value for name, value in {"class": type(one), **own}.items() if id(value) not in data}
        elsewhere += held_generators(SimpleNamespace(**inside), "sampler", seconds=_SECONDS)
    yield from ((one.name, one.thing) for one in elsewhere if id(one.thing) not in seen)


def keyed_of(loading: DataLoader[Any]) -> KeyedSampler | None:
    """Return the KeyedSampler of a DataLoader, at any level of its samplers, or None."""
    return next((sampler for sampler in samplers_of(loading) if isinstance(sampler, KeyedSampler)), None)
