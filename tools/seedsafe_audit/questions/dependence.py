"""What do samples depend on besides the index?"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from seedsafe_audit import state
from seedsafe_audit.questions.context import (
    Context,
    Finding,
    NotMeasured,
    compare,
    number_list,
)
from seedsafe_audit.questions.states import few, follows, follows_earlier, follows_state
from seedsafe_audit.questions.storage import in_words, lasting_changes
from seedsafe_audit.recording import Plan, Record

__all__ = [
    "batch_size",
    "global_draws",
    "global_state",
    "kept_draws",
    "order",
    "reproducible",
    "threads",
    "workers",
]


def reproducible(ctx: Context) -> Finding:
    """Compare a run with another one with the same seeds, and two such runs over keys that no other run reads."""
    ctx.need(ctx.serial, ctx.serial_again)
    pairs = [(ctx.serial, ctx.serial_again)]
    if ctx.workers:
        pairs.append((ctx.parallels()[0], ctx.small_again))
    if not ctx.subject.iterable:
        pairs.append((ctx.keys, ctx.keys_again))
    text = (
        "two runs with the same seeds differ, because it draws from a generator without a seed or from the clock. "
        "Use one seed, and a key per sample"
    )
    if not ctx.unsteady:
        text = (
            "two runs with workers differ although two without them agree, because chance decides which worker reads "
            "a sample, or hash() differs between processes. Use a key per sample, and hashlib or zlib.crc32 for hash()"
        )
    usable = [pair for pair in pairs if not ctx.trouble(*pair)]
    result = compare(ctx, usable, text, "two runs with the same seeds are equal")
    if result.verdict == "ok" and (ctx.keys, ctx.keys_again) in usable:
        looks = 2 * (len(ctx.keys.records) + len(ctx.serial.epoch(0)))
        chances = [f"one in {rare:,} with {1 - (1 - 1 / rare) ** looks:.1%}" for rare in (200, 1000)]
        promise = "A draw from elsewhere in one reading out of N would have been found"
        return result._replace(summary=f"{result.summary}. {promise}: {' and '.join(chances)}")
    return result


def workers(ctx: Context) -> Finding:
    """Compare the runs that have workers with the one that has none; records of a stream by their id, as workers share them out."""
    if ctx.subject.iterable:
        return _records_by_id(ctx)
    runs = [run for run in ctx.parallels() if not ctx.trouble(run)]
    if not runs:
        raise NotMeasured(ctx.trouble(*ctx.parallels()))
    result = compare(
        ctx,
        [(ctx.serial, run) for run in runs],
        "with the same seed, another number of workers or another start method gives different bytes. Use a key per sample, and sort "
        "sets: their order and hash() differ between spawned workers",
        "every number of workers and every start method gives the same bytes",
    )
    return (_torch_threads(ctx) or result) if result.verdict == "ok" else result


def _torch_threads(ctx: Context) -> Finding | None:
    """Read a sample with more of torch's threads."""
    tasks = Path("/proc/self/task")  # a forked process hangs in a pool of threads that its parent has begun
    if "torch" not in sys.modules or not tasks.is_dir() or len(list(tasks.iterdir())) > 1:
        return None
    index = ctx.order.indices[0]
    if not follows(
        ctx, "torch's threads", few(ctx), lambda _, more: sys.modules["torch"].set_num_threads(1 + more)
    ):
        return None
    text = (
        "the last bits of float numbers follow the number of torch's threads, of which a worker has one and the main process more. "
        "Call torch.set_num_threads(1) before you read without workers"
    )
    return Finding(
        "warning", text, [f"sample {index} differs with more of torch's threads"], [index], "dataset"
    )


def _records_by_id(ctx: Context) -> Finding:
    """Compare the records of a stream that have the same id, without workers and with 1, 2 and 3."""
    runs = [ctx.serial, *(ctx.run_of(ctx.parallel_plan(count, ctx.methods[0])) for count in (1, 2, 3))]
    ctx.need(*runs)
    records = [run.epoch(0) for run in runs]
    unique: dict[Any, list[dict[Any, Record]]] = {}
    for path in filter(None, records[0][0].parts):
        found = [{one.parts.get(path): one for one in each} for each in records]
        if list(map(len, found)) == list(map(len, records)):
            unique[path] = found
    common = {path: set.intersection(*map(set, found)) for path, found in unique.items()}
    path = max(common, key=lambda path: len(common[path]), default=())
    if len(common.get(path, ())) < 2:
        raise NotMeasured("no part of the records tells them apart: give each an id")
    name = "".join(f"[{step!r}]" for step in path)
    evidence, samples = [], set()
    first, *others = unique[path]
    for run, by_id in zip(runs[1:], others, strict=True):
        pairs = [(first[one], by_id[one]) for one in common[path]]
        apart = {
            part
            for one, two in pairs
            for part in one.parts
            if part and one.parts[part] != two.parts.get(part)
        }
        differ = {one.index for one, two in pairs if one.digest != two.digest}
        samples |= differ
        where = ", ".join(sorted("".join(f"[{step!r}]" for step in part) for part in apart))
        evidence.append(
            f"{run.plan.name}: {len(differ)} of {len(pairs)} records with the same {name} differ{where and f' in {where}'}"
        )
    if not samples:
        return Finding("ok", f"records with the same {name} are equal without workers and with 1, 2 and 3")
    text = (
        f"a record, told by its {name}, is another one with another number of workers: what draws for it follows the worker. "
        "Draw from a key per record, as AugmentedIterable does with its id"
    )
    return Finding("warning", text, evidence, samples, "dataset")


def order(ctx: Context) -> Finding:
    """Compare the readings of two orders by index."""
    ctx.need(ctx.reverse)
    bad = "a sample's bytes depend on the samples read before it. Use a key per sample"
    good = "every sample has the same bytes in reverse order"
    result = compare(ctx, [(ctx.serial, ctx.reverse)], bad, good)
    if result.verdict == "ok":
        return result
    changed = [f"reading changes {change}" for change in in_words(lasting_changes(ctx.watched))[:4]]
    return result._replace(evidence=[*result.evidence, *changed])


def batch_size(ctx: Context) -> Finding:
    """Compare runs with another batch size."""
    if ctx.subject.loader == "keras":
        raise NotMeasured("a Keras Sequence makes its own batches")
    run = ctx.parallels()[0]
    ctx.need(run, ctx.other_batch)
    sizes = f"batches of {ctx.order.batch + 1} instead of {ctx.order.batch} give"
    bad, good = f"{sizes} different bytes. Use a key per sample", f"{sizes} the same bytes"
    return compare(ctx, [(run, ctx.other_batch)], bad, good)


def global_state(ctx: Context) -> Finding:
    """Change the seed of one process-wide generator at a time, of those that a reading draws from, and compare."""
    ctx.need(ctx.reseeded)
    index = ctx.order.indices[0]
    drawn = sorted({name for record in ctx.reseeded.records for name in record.draws})
    found = [name for name in drawn if follows_state(ctx, name, index, order=True)]
    if not found:
        return Finding("ok", "other seeds of the process-wide generators change no byte")
    text = (
        "samples are drawn from generators that the whole process shares. Draw from ss.generator(key) instead"
    )
    evidence = [f"sample {index} differs with another state of {name}" for name in found]
    return Finding("warning", text, evidence, [index], ctx.source)


def global_draws(ctx: Context) -> Finding:
    """Look at the process-wide generators before and after each reading."""
    run = ctx.reseeded
    ctx.need(run)
    readings = ((name, [r for r in run.records if name in r.draws]) for name in state.loaded())
    by_name = {name: records for name, records in readings if records}
    if not by_name:
        return Finding("ok", "no reading changes the process-wide generators")
    evidence = [
        f"{name}: changed by {len(found)} of {len(run.records)} readings" for name, found in by_name.items()
    ]
    seeded = [name for name, found in by_name.items() if _ends(found, name)]
    constant = [name for name in seeded if len({r.after[name] for r in by_name[name]}) == 1]
    samples = {record.index for found in by_name.values() for record in found}
    way_out = "Draw from ss.generator(key) instead"
    if not seeded:
        text = f"reading draws from generators that other code of the process uses too. {way_out}"
        return Finding("warning", text, evidence, samples, ctx.source)
    part = ctx.blamed(lambda bare: any(record.draws for record in bare.records), reseed=True, reads=8)
    by_clock = not ctx.trouble(ctx.serial, ctx.serial_again) and ctx.unsteady
    if constant and not by_clock:
        text = f"each reading leaves {' and '.join(constant)} in one state, seeded with a constant per sample. {way_out}"
        return Finding("fault", text, evidence, samples, part)
    text = f"each reading seeds {' and '.join(seeded)}, so dropout and shuffling in this process get that seed too. {way_out}"
    return Finding("warning", text, evidence, samples, part)


def _ends(records: list[Record], name: str) -> bool:
    """Return whether all readings of a sample leave a generator in the same state."""
    states: dict[int, list[str]] = defaultdict(list)
    for record in records:
        states[record.index].append(record.after[name])
    repeated = [group for group in states.values() if len(group) > 1]
    return bool(repeated) and len(states) > 1 and all(len(set(group)) == 1 for group in repeated)


def threads(ctx: Context) -> Finding:
    """Read with four threads at once, and compare with reading alone."""
    ctx.need(ctx.serial, ctx.serial_again, ctx.reverse)
    if ctx.random or ctx.unsteady or order(ctx).verdict == "warning":
        raise NotMeasured(
            "even in one thread, a sample's bytes depend on the samples read before it, or on chance"
        )
    runs = [ctx.run_of(Plan(threads=4, note=f"4 threads, {turn}")) for turn in ("first", "again")]
    alone = {record.index for record in ctx.serial.records if record.failure}
    new = [one for run in runs for one in run.records if one.failure and one.index not in alone]
    if new:
        evidence = [f"sample {record.index}: {record.failure}" for record in new[:5]]
        text = "it raises errors when several threads read at once. Use local variables, and one file handle per thread"
        return Finding("fault", text, evidence, [r.index for r in new], "dataset")
    ctx.need(*runs)
    result = compare(
        ctx,
        [(ctx.serial, run) for run in runs],
        "several threads at once do not give the bytes of one, because it keeps its working state outside the call. Use local "
        "variables, and one file handle per thread",
        "four threads give the same bytes as one",
        "fault",
    )
    drawn = {draw.source for draw in ctx.lines} if result.verdict == "fault" else ()
    if shared := state.SEEDED.keys() & drawn:
        text = (
            f"each reading seeds {' and '.join(sorted(shared))}, which all threads share, so samples differ if several threads read at once. "
            "Workers that are processes do not mind. Draw from ss.generator(key) instead"
        )
        return result._replace(verdict="warning", summary=text)
    return result


def kept_draws(ctx: Context) -> Finding:
    """Compare which readings ask for keys, and look for samples that follow from what an earlier reading drew."""
    uses: dict[tuple[int, int], set[bool]] = defaultdict(set)
    for record in (*ctx.serial.records, *ctx.serial_again.records):
        if record.digest:
            uses[record.epoch, record.index].add(record.key_uses > 0)
    fewer = {index for (_, index), flags in uses.items() if len(flags) > 1}
    again = set(few(ctx)) if follows_earlier(ctx) else set()
    texts = {
        "one reading asked for the sample's key, another reading of the same key did not": fewer,
        "what its first reading draws comes again in the second, whatever that draws": again,
    }
    samples = fewer | again
    if not samples:
        return Finding("ok", "no draw of one sample or epoch comes again in another")
    evidence = [f"samples {number_list(found)}: {text}" for text, found in texts.items() if found]
    text = (
        "it keeps what one reading drew, its key or its generator, and uses it in later ones, as a cache around random augmentation does. "
        "Cache the steps before the augmentation, and call the pipeline or ss.generator() in each read"
    )
    return Finding("fault", text, evidence, samples, ctx.source)
