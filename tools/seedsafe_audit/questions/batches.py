"""Does the collate function repeat its draws?"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

from seedsafe.keys.key import SampleIndex
from seedsafe_audit import rng
from seedsafe_audit.content import digest
from seedsafe_audit.questions.context import Context, Finding, NotMeasured, beyond_chance
from seedsafe_audit.supervise import Outcome

__all__ = ["collate"]

_BATCHES = 32
_SIZE = 8
_SEED = 20_211


class _Batch(NamedTuple):
    epoch: int
    number: int
    digest: str


def collate(ctx: Context) -> Finding:
    """Collate the same samples again and again, without workers and with them, and compare the batches."""
    function = ctx.subject.collate
    if function is None:
        return Finding("ok", "there is no collate function but the framework's own")
    if not ctx.workers:
        raise NotMeasured("needs workers")
    count = ctx.workers[0]
    serial, parallel = _batches(ctx, 0), _batches(ctx, count)
    different = len({batch.digest for batch in serial})
    if len({batch.digest for batch in (*serial, *parallel)}) == 1:
        return Finding("ok", "equal samples give equal batches, so the collate function draws nothing")
    seen = len({batch.digest for batch in parallel})
    evidence = [
        f"no workers: {len(serial)} batches of equal samples, {different} of them different",
        f"{count} workers: {len(parallel)} batches of equal samples, {seen} of them different",
    ]
    usual = min(0.99, (len(serial) - different + 1) / (len(serial) + 2))
    texts = []
    by_place = {(batch.epoch, batch.number): batch.digest for batch in parallel}
    firsts = [by_place[0, number] for number in range(_BATCHES)]
    turns = range(_BATCHES // count)
    others = [
        (firsts[turn * count], firsts[turn * count + worker]) for turn in turns for worker in range(1, count)
    ]
    if _repeat(others, usual):
        texts.append("workers make the same draws")
        evidence.append(
            f"{sum(a == b for a, b in others)} of {len(others)} equal worker 0's of the same turn"
        )
    if ctx.epochs > 1:
        epochs = [(one, by_place[1, number]) for number, one in enumerate(firsts)]
        if _repeat(epochs, usual):
            texts.append("an epoch repeats the one before")
            evidence.append(f"{sum(a == b for a, b in epochs)} of {len(epochs)} are equal in epochs 0 and 1")
    way_out = (
        "Draw in __getitem__ from ss.draws(), or let the collate function follow the batch with bridge=True and "
        "seedsafe_torch.loader"
    )
    if texts:
        return Finding(
            "fault", f"in the collate function {' and '.join(texts)}. {way_out}", evidence, (), "loader"
        )
    if serial != parallel:
        text = "what the collate function draws depends on the number of workers"
        return Finding("warning", f"{text}. {way_out}", evidence, (), "loader")
    return Finding("ok", "the collate function draws alike for any number of workers", evidence)


def _repeat(pairs: list[tuple[str, str]], usual: float) -> bool:
    return beyond_chance(sum(one == other for one, other in pairs), len(pairs), usual)


def _batches(ctx: Context, workers: int) -> list[_Batch]:
    """Return the batches of a DataLoader whose samples are the same for each."""
    name = f"the collate function, {workers or 'no'} workers"
    outcome: Outcome = ctx.runs.call(name, lambda folder: _collated(ctx, workers))
    if outcome.error or outcome.hangs:
        raise NotMeasured(f"{name}: {outcome.error or 'hung'}")
    return sorted(outcome.items)


def _collated(ctx: Context, workers: int) -> Iterator[_Batch]:
    with contextlib.suppress(KeyError, AttributeError):  # a thread pool would not survive a later fork
        sys.modules["torch"].set_num_threads(1)
    rng.seed(_SEED)
    data: Any = importlib.import_module("torch.utils.data")
    dataset = ctx.subject.dataset
    size = min(ctx.subject.batch or _SIZE, _SIZE)
    source = dataset if ctx.subject.iterable else (dataset[index] for index in _few(ctx, size))
    samples = list(islice(iter(source), size))
    options: dict[str, Any] = {"multiprocessing_context": ctx.methods[0]} if workers else {}
    asked = _Asked(len(samples))
    loading = data.DataLoader(
        _Same(samples),
        batch_sampler=asked,
        num_workers=workers,
        collate_fn=ctx.subject.collate,
        worker_init_fn=ctx.subject.worker_init,
        **options,
    )
    for epoch in range(min(ctx.epochs, 2)):
        asked.epoch = epoch
        for number, batch in enumerate(loading):
            yield _Batch(epoch, number, digest(batch))


def _few(ctx: Context, size: int) -> list[int]:
    """Return the first indices of the audit that can be read."""
    unread = {record.index for record in ctx.serial.records if record.failure}
    return [index for index in dict.fromkeys(ctx.order.indices) if index not in unread][:size]


class _Same:
    """A dataset that has the same samples in each batch."""

    def __init__(self, samples: list[Any]) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples) * _BATCHES

    def __getitem__(self, index: int) -> Any:
        return deepcopy(self.samples[index % len(self.samples)])


class _Asked:
    """Batches of indices, stamped, so that a keyed collate function knows what was asked for."""

    def __init__(self, size: int) -> None:
        self.size, self.epoch = size, 0

    def __len__(self) -> int:
        return _BATCHES

    def __iter__(self) -> Iterator[list[SampleIndex]]:
        for number in range(_BATCHES):
            first = number * self.size
            yield [SampleIndex(index, epoch=self.epoch) for index in range(first, first + self.size)]
