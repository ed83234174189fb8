"""KeyedSampler: stamps every index with its epoch and occurrence, in the parent process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, SupportsIndex

from torch.utils.data import Sampler

from seedsafe import VALIDATION_EPOCH, SampleKey
from seedsafe.reading import checked_int
from seedsafe_torch.inner import InnerEpochs, chain_of
from seedsafe_torch.passes import MANY, Link, Next, Pass, Place, read_state
from seedsafe_torch.stamp import Stamp, numbering
from seedsafe_torch.trainers import accelerate, callers
from seedsafe_torch.trainers.fabric import counts_passes
from seedsafe_torch.trainers.lightning import epoch_meant
from seedsafe_torch.trainers.loaders import wrapped

__all__ = ["KeyedSampler"]

_SET = ("set", "set late")
_LEFT = (
    "a pass over the loader was left before its second batch, and counts as an epoch: "
    "use seedsafe_torch.peek(loader) to look at a batch"
)


class KeyedSampler(Sampler[Any]):
    """Any sampler, its indices stamped with the epoch and their occurrence.

    Each pass is the epoch after the one before, by itself; `set_epoch` overrides the next one, called here or on
    the sampler inside. A pass counts from its first index on. A sampler that has a torch ``generator`` gets a new
    one for each epoch, keyed on (seed, epoch), and ``set_epoch`` is passed on; a sampler with neither keeps an order of
    its own, and is only resumed if that order is the same again. An occurrence above 0 that the sampler gives a
    SampleIndex is kept; all others are counted.

    Args:
        sampler: yields indices, or batches of them as a BatchSampler does.
        seed: of the run.
        epoch: a fixed epoch for every pass, or None to count them.
        offset: is added to what `set_epoch` is given, for trainers that count from another number.
        occurrence: "rank" numbers the occurrences of rank r of R as r, r + R, r + 2R …, for samplers that give copies of a
            sample to several ranks; samplers like timm's RepeatAugSampler are recognised.

    Raises:
        TypeError: an argument is of another type, or the sampler yields something other than indices.
        ValueError: an argument is out of its range, or two epochs were set for one pass.

    Example:
        >>> sampler = KeyedSampler(range(2), seed=42)
        >>> list(sampler), list(sampler)[0]
        ([SampleIndex(0, epoch=0, occurrence=0, view=0), SampleIndex(1, epoch=0, occurrence=0, view=0)], SampleIndex(0, epoch=1, occurrence=0, view=0))
    """  # the example's output is one line

    stride = 1
    """How many items of the run one item of this sampler stands for: the number of ranks that share them."""

    def __init__(
        self,
        sampler: Any,
        *,
        seed: SupportsIndex,
        epoch: SupportsIndex | None = None,
        offset: int = 0,
        occurrence: Literal["rank"] | None = None,
    ) -> None:
        if not hasattr(sampler, "__iter__"):
            raise TypeError(f"sampler must be iterable, got {type(sampler).__qualname__}")
        if hasattr(sampler, "__next__"):
            raise TypeError(
                f"sampler must be iterable once for each epoch, got {type(sampler).__qualname__}, which can be read only once: "
                "pass a list or a Sampler"
            )
        self.sampler = sampler
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.offset = checked_int(
            "offset", offset, -(2**31), 2**31, "pass what the trainer's first epoch lacks to 0"
        )
        self.numbers = numbering(sampler, occurrence)
        self.inner = InnerEpochs()
        self._next = Next()
        self._latest: Place | None = None  # of the pass that began last
        self._watch: Callable[[Place], None] | None = None  # is told the place of a pass that begins
        self._advice: str | None = _LEFT  # is given once

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of the next pass, and of those after it. A pass under way keeps its own.

        It warns if workers already read another epoch for a pass that has handed out no batch, and will serve that one.
        The loaders of `loader` begin nothing so early. It warns as well if it leaves a state that was loaded for an earlier epoch.
        Fabric's number of passes is not listened to, unless there is an offset: after a resume it begins with 0.
        """
        teller, place, plan = callers.teller(), self._latest, self._next
        if counts_passes(teller) and not self.offset:
            return
        accelerate.check_shares(self)
        accelerate.warn_of_count(self, epoch, place.epoch if place and place.ended else None)
        number = checked_int(
            "epoch", epoch_meant(teller, epoch), 0, 2**32, "pass the epoch's number, 0 for the first"
        )
        way_out = "the last one is reserved"
        wanted = checked_int("epoch + offset", number + self.offset, 0, VALIDATION_EPOCH, way_out)
        if place is not None and place.untouched:
            if place.epoch == wanted:
                return  # the pass that has just begun
            warnings.warn(
                f"set_epoch({number}) came when workers had begun to read epoch {place.epoch}, which the pass under way will "
                "serve: call it before iter(loader), or make the loader with seedsafe_torch.loader",
                stacklevel=2,
            )
        if plan.origin == "loaded" and wanted < plan.epoch:
            warnings.warn(
                f"set_epoch({number}) leaves the state that was loaded, of epoch {plan.epoch} after {plan.skip} entries, for "
                f"epoch {wanted}: set the state's epoch, or none, to go on where it stood",
                stacklevel=2,
            )
        late = place and place.epoch == wanted and not (place.counted or place.ended or place.left)
        kept = plan if wanted == plan.epoch else Next(wanted)
        self._next = replace(kept, origin="set late" if late else "set")

    def hear(self, epoch: int, where: str) -> None:
        """Take over an epoch that was set elsewhere, on the sampler inside or on the dataset."""
        if self.epoch is not None:
            return
        told = self._next.epoch - self.offset
        if self._next.origin in _SET and told != epoch:
            raise ValueError(
                f"two epochs were set for one pass, {told} and, on {where}, {epoch}: set it once"
            )
        self.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Any]:
        shares = callers.sharing() if self.epoch is None else None
        if shares is not None:
            raise wrapped(shares)
        link = Link(self._state)
        begun = Pass(self._items(link))
        begun.link = link
        return begun

    def _span(self) -> int:
        """Return below which number indices are expected, as far as the samplers' lengths tell."""
        span = 0
        for one in (self, *chain_of(self.sampler)):
            with suppress(TypeError, NotImplementedError):  # some have no length
                span = max(span, len(one) * int(getattr(one, "num_replicas", None) or 1))
        return min(span, 2**36)

    def _items(self, link: Link) -> Iterator[Any]:
        """Yield the stamped items of a pass, which begins with the first of them."""
        link.place = place = self._begin(link.loaded)
        stamp = Stamp(place.epoch, self.numbers, place.single, self._span())
        items = self._pass(place, stamp)
        wait, before = place.waiting.append, -1
        while place.drawn > before:
            before = place.drawn
            for item in islice(items, MANY):
                stamped = stamp(item)
                wait(stamped)
                yield stamped
            if not place.counted:
                place.see(MANY)
        place.exhausted = True
        place.ended = not place.counted

    def _begin(self, state: dict[str, int] | None) -> Place:
        """Return the place of a pass whose first index is drawn."""
        if state is not None:
            self.load_state_dict(state)
        self._listen()
        accelerate.check_shares(self)
        plan, fixed = self._next, self.epoch is not None
        epoch = plan.epoch if self.epoch is None else self.epoch
        reader = None if self._watch or fixed else callers.drawing()
        place = Place(epoch, plan.skip, plan.order, self._watch is not None, reader)
        if state is None and place.spent:
            return place
        if epoch >= VALIDATION_EPOCH and not fixed:
            raise ValueError(f"epoch {epoch} is reserved for validation: there are no more")
        if plan.origin == "set late" and not fixed:
            warnings.warn(
                f"epoch {epoch} is served again: set_epoch came when its pass had begun, and set the next one. Call it "
                "before iter(loader), or leave it out",
                stacklevel=2,
            )
        self._next = Next(plan.epoch if fixed else plan.epoch + 1)
        self._latest = place
        if self._watch is not None:
            self._watch(place)
        return place

    def _listen(self) -> None:
        """Take over an epoch that was set on the sampler inside."""
        for number in self.inner.changed(self.sampler):
            self.hear(number, "the sampler inside")

    def _leave_out(self, place: Place, items: Iterator[Any], stamp: Stamp) -> None:
        """Draw what was seen before the state was stored, and compare it with the state."""
        start, epoch, skipped = place.seen, place.epoch, 0
        while skipped < start:
            part = [stamp(item) for item in islice(items, min(MANY, start - skipped))]
            if not part:
                raise ValueError(
                    f"the state says that {start} entries of epoch {epoch} were yielded, and the pass has {skipped}: load it into "
                    "a sampler like the one that it came from, or change its 'yielded'"
                )
            skipped += len(part)
            place.waiting[:], place.behind = part, len(part)
            place.fold()
        if start and place.expected not in (None, place.order):
            raise ValueError(
                f"the first {start} entries of epoch {epoch} are not those that were yielded before the state was stored: use the "
                "same dataset, sampler and seed, and a sampler whose order follows from set_epoch or a torch generator"
            )

    def _pass(self, place: Place, stamp: Stamp) -> Iterator[Any]:
        """Return the items of a pass, after those that its place leaves out, which are stamped too."""
        self.inner.set(self.sampler, place.epoch, self.seed)
        items: Iterator[Any] = iter(self.sampler)
        self._leave_out(place, items, stamp)
        return items

    @contextmanager
    def watched(self, watch: Callable[[Place], None] | None) -> Iterator[None]:
        """Pass the places of passes that begin now to a function that will say what was seen of them."""
        before, self._watch = self._watch, watch
        try:
            yield
        finally:
            self._watch = before

    @contextmanager
    def peeked(self, *, single: bool) -> Iterator[None]:
        """Take back the pass that begins meanwhile; `single` says whether the sampler must yield single indices."""

        def watch(place: Place) -> None:
            place.single = single

        self._listen()
        before, latest = self._next, self._latest
        self._next = replace(before, origin="counted")  # what was set late is told to training alone
        try:
            with self.watched(watch):
                yield
        finally:
            self._next, self._latest = before, latest

    @property
    def all_seen(self) -> bool:
        """Whether the latest pass has handed out all that it has."""
        place = self._latest
        return place is None or (place.exhausted and place.seen == place.drawn)

    def warn_of_left_pass(self) -> None:
        """Warn once of a pass that was left after its first batch."""
        advice, self._advice = self._advice, None
        if advice and self.epoch is None:
            warnings.warn(advice, stacklevel=3)

    def state_dict(self) -> dict[str, int]:
        """Return where the run stands: the epoch under way, how many entries of it were seen, and a checksum of their order.

        Of a loader made by `loader`, what was seen are the batches that it handed out. Other loaders tell nothing: what counts
        there is what was drawn, which workers do ahead of training. StatefulDataLoader corrects that by itself.
        """
        place = self._latest
        if place is None or place.ended or (place.left and self._next.origin in _SET):
            return self._state(None)
        return self._state(place)

    def _state(self, place: Place | None) -> dict[str, int]:
        """Return the state of a pass at its place; for None of the next one."""
        if place is None:
            epoch, yielded, order = self._next.epoch, self._next.skip, self._next.order
        else:
            if not place.counted:
                place.see(len(place.waiting))
            place.fold()
            epoch, order = place.epoch, place.order
            yielded = place.start + (place.seen - place.start) * self.stride
        state = {"epoch": epoch, "yielded": yielded}
        return state | {"order": order} if yielded and order is not None else state

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Resume in the next pass where `state_dict` stood, with any number of workers and any batch size.

        Raises:
            TypeError: the state is not a dict of integers.
            ValueError: it lacks "epoch" or "yielded". A pass raises it if its order is not the one of the state.
        """
        self._next, self._latest = read_state(state), None
