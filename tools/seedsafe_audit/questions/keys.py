"""Does one key always give one sample?"""

from __future__ import annotations

from collections import defaultdict

from seedsafe_audit.questions.context import Context, Finding, NotMeasured, differences, number_list
from seedsafe_audit.questions.dependence import order
from seedsafe_audit.recording import Record

__all__ = ["hash_order", "kept_draws"]

_CACHE = (
    "it keeps draws in a cache around random augmentation, so later epochs repeat the numbers of the first. Cache the steps "
    "before the augmentation"
)
_KEPT = (
    "it keeps the draws, the key or the generator of one sample and uses them for others. Call the pipeline or ss.generator() "
    "in each read"
)


def kept_draws(ctx: Context) -> Finding:
    """Compare which readings ask for keys, which draw, and an epoch read first with the same epoch read second."""
    if ctx.subject.iterable:
        raise NotMeasured("an iterable dataset is not read by key")
    ctx.need(ctx.serial, ctx.serial_again, ctx.reverse)
    ctx.need_steady()
    evidence, samples = [], set()
    fewer = _fewer_uses([*ctx.serial.records, *ctx.serial_again.records])
    if fewer:
        samples |= set(fewer)
        some = number_list(fewer)
        evidence.append(
            f"samples {some}: one reading asked for the sample's key, another reading of the same key did not"
        )
    once = _draws_once(ctx)
    if once:
        samples |= set(once)
        evidence.append(
            f"samples {number_list(once)}: only the first reading drew from the process-wide generators"
        )
    history = order(ctx).verdict != "ok"
    if ctx.is_keyed and (fewer or not history) and not ctx.trouble(ctx.alone):
        other, total = differences(ctx.serial.epoch(1), ctx.alone.epoch(1))
        if other:
            samples |= set(other)
            evidence.append(
                f"epoch 1 read after epoch 0, and read first in its process: {len(other)} of {total} readings differ: "
                f"{number_list(other)}"
            )
    if not samples:
        return Finding("ok", "no draw of one sample or epoch comes again in another")
    text = _KEPT if history and not once else _CACHE
    return Finding("fault", text, evidence, samples, ctx.source)


def _fewer_uses(records: list[Record]) -> list[int]:
    """Return the indices of keys that one reading asks for and another does not."""
    uses: dict[tuple[int, int], set[bool]] = defaultdict(set)
    for record in records:
        if record.digest:
            uses[record.epoch, record.index].add(record.key_uses > 0)
    return sorted({index for (_, index), flags in uses.items() if len(flags) > 1})


def _draws_once(ctx: Context) -> list[int]:
    """Return the repeated indices if they are several and only the first reading of each drew."""
    readings: dict[int, list[Record]] = defaultdict(list)
    for record in ctx.repeats(ctx.reseeded_run.records):
        readings[record.index].append(record)
    once = [
        index
        for index, (first, *later) in readings.items()
        if first.draws and later and not any(record.draws for record in later)
    ]
    return once if len(once) == len(readings) and len(once) > 1 else []


def hash_order(ctx: Context) -> Finding:
    """Compare spawned workers with two hash seeds, unless the first already agree with the run without workers."""
    if "spawn" not in ctx.methods or not ctx.workers:
        raise NotMeasured("needs spawned workers: add spawn to the start methods")
    one = ctx.parallel(ctx.workers[0], "spawn")
    ctx.need(ctx.serial, ctx.serial_again, one)
    ctx.need_steady()
    if not differences(ctx.serial.epoch(0), one.epoch(0))[0] and not ctx.subject.iterable:
        return Finding("ok", "spawned workers, which have their own hash seed, give the same bytes")
    seed, other_seed = one.plan.hashing, ctx.hash_seeds[1]
    other = ctx.spawned_again(other_seed)
    ctx.need(other)
    samples, total = differences(one.epoch(0), other.epoch(0))
    if not samples:
        return Finding("ok", "another hash seed gives the same bytes")
    evidence = [
        f"PYTHONHASHSEED={seed} and {other_seed}: {len(samples)} of {total} readings differ: {number_list(samples)}"
    ]
    if _processes_differ(ctx, seed):
        text = (
            "two spawned processes with the same hash seed differ, because of the order of a set of objects or something else "
            "that differs between processes. Sort such a set"
        )
        return Finding("warning", text, evidence, samples, ctx.source)
    text = (
        "samples depend on hash() of strings or on the order of a set of them, which differ between spawned workers and between "
        "runs. Sort the set, and use hashlib or zlib.crc32 for hash(), because PYTHONHASHSEED=0 only hides the fault"
    )
    return Finding("warning", text, evidence, samples, ctx.source)


def _processes_differ(ctx: Context, seed: str) -> bool:
    """Return whether spawned processes with the same hash seed differ: those of one run, or of two, as two sets agree by chance."""
    one = ctx.parallel(ctx.workers[0], "spawn")
    if not ctx.random and not ctx.subject.iterable:
        digests = defaultdict(set)
        for record in ctx.repeats(one.epoch(0)):
            digests[record.index].add(record.digest)
        if any(len(group) > 1 for group in digests.values()):
            return True
    again = ctx.spawned_again(seed)
    return not ctx.trouble(again) and bool(differences(one.epoch(0), again.epoch(0))[0])
