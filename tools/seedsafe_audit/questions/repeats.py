"""Do workers or epochs repeat each other?"""

from __future__ import annotations

from collections import Counter, defaultdict

from seedsafe_audit.questions.context import Context, Finding, NotMeasured, beyond_chance, number_list
from seedsafe_audit.recording import Record
from seedsafe_audit.report import AtFault, Matrix, Picture
from seedsafe_audit.runs import Run

__all__ = ["duplicates", "epochs"]

_STEADY = (
    "every reading of a sample in one epoch gives the same bytes, so nothing is random or it depends only on the index and "
    "the epoch"
)


_ONCE = (
    "readings of a sample are equal within a run and differ between runs, so something comes from the clock or once for each "
    "process. The audit cannot see how many samples share it"
)


def duplicates(ctx: Context) -> Finding:
    """Compare the samples that workers give for the same indices, read in the same order."""
    if ctx.subject.iterable:
        return _common_samples(ctx)
    _need_readable(ctx)
    runs = [run for run in ctx.parallels() if run.whole]
    if not runs or ctx.trouble(ctx.serial):
        raise NotMeasured(ctx.trouble(ctx.serial, *ctx.parallels()))
    if ctx.unsteady and (shared := _common_seeds(ctx, [ctx.serial, *runs])):
        return shared
    if not ctx.random and not any(_random_inside(ctx, run) for run in runs):
        if ctx.unsteady and len(ctx.unsteady) == len(set(ctx.order.indices)):
            raise NotMeasured(_ONCE)
        return Finding("ok", _STEADY)
    evidence: list[str] = []
    samples: set[int] = set()
    faulty: list[Run] = []
    matrix: Matrix | None = None
    pictures: tuple[Picture, ...] = ()
    for run in runs:
        for epoch in range(ctx.epochs):
            equal, total, first = _equal_draws(ctx, ctx.repeats(run.epoch(epoch)))
            if not beyond_chance(equal, total, min(ctx.collisions, 0.99)):
                continue
            faulty.append(run)
            samples.update(index for index, _ in first)
            evidence.append(
                f"{run.plan.name}, epoch {epoch}: {equal} of {total} readings equal worker 0's, the first "
                f"of them sample {first[0][0]}, worker {first[0][1]}"
            )
            if matrix is None:
                matrix, pictures = _matrix(ctx, run, epoch), _pictures(ctx, run, epoch)
    if not faulty:
        names = ", ".join(run.plan.name for run in runs)
        return Finding("ok", "the workers' readings of the same sample differ", (f"compared: {names}",))
    text = (
        "worker processes hold copies of the same random state and make the same draws. Make a generator for each sample, "
        "such as ss.generator(key)"
    )
    return Finding("fault", text, evidence, samples, _loader_or(ctx, faulty[0]), matrix, pictures)


def _common_seeds(ctx: Context, runs: list[Run]) -> Finding | None:
    """Look for a seed from a clock: several indices get it, and the next run does not have it."""
    seeds_again = {seed for record in ctx.serial_again.records for seed in record.seeds}
    evidence, samples = [], set()
    for run in runs:
        for epoch in range(ctx.epochs):
            records = [record for record in run.epoch(epoch) if record.seeds]
            readers: dict[str, set[tuple[int, int]]] = defaultdict(set)
            for record in records:
                for seed in set(record.seeds) - seeds_again:
                    readers[seed].add((record.index, record.worker or 0))
            shared = {
                seed: found for seed, found in readers.items() if len({index for index, _ in found}) > 1
            }
            if not shared:
                continue
            count = sum(any(seed in shared for seed in record.seeds) for record in records)
            seed, found = max(shared.items(), key=lambda one: len(one[1]))
            samples |= {index for found in shared.values() for index, _ in found}
            (one, first), (other, second) = min(found), max(found)
            evidence.append(
                f"{run.plan.name}, epoch {epoch}: {count} of {len(records)} readings got the seed of another index: {seed} "
                f"went to sample {one}, worker {first}, and to sample {other}, worker {second}"
            )
    if not samples:
        return None
    text = (
        "different samples get the same draws, because their generators share a seed that differs between runs, such as the "
        "clock. Seed from the key, as ss.generator(key) does"
    )
    return Finding("fault", text, evidence, samples, ctx.source)


def epochs(ctx: Context) -> Finding:
    """Compare the second pass of each run with the first."""
    if ctx.epochs < 2:
        raise NotMeasured("needs epochs=2 or more")
    ctx.need(ctx.serial)
    if not ctx.subject.iterable:
        _need_readable(ctx)
    if not ctx.random and not ctx.subject.iterable:
        equal, total = _equal_epochs(ctx, ctx.serial)
        return Finding("ok", f"{_STEADY}. The epochs {'differ' if equal < total else 'are equal'}")
    rate = ctx.collisions if not ctx.subject.iterable else 0.02
    equal, total = _equal_epochs(ctx, ctx.serial)
    evidence, faulty, samples = [], [], set()
    inside = beyond_chance(equal, total, min(rate, 0.99))
    usual = min(0.99, rate if inside else max(rate, (equal + 1) / (total + 2)))
    for run in [ctx.serial, *ctx.parallels()]:
        equal, total = _equal_epochs(ctx, run)
        if (
            run.whole
            and total
            and ctx.random
            and beyond_chance(equal, total, rate if run is ctx.serial else usual)
        ):
            faulty.append(run)
            evidence.append(f"{run.plan.name}: {equal} of {total} readings are equal in epochs 0 and 1")
            samples |= {record.index for record in ctx.singles(run.epoch(0))}
    if faulty:
        text = "an epoch repeats the random draws of the one before. Put the epoch into the key or the seed"
        return Finding("fault", text, evidence, samples, _loader_or(ctx, faulty[-1], epochs=True))
    if not ctx.random:
        return Finding("ok", "both epochs give the same samples, so nothing random was seen")
    return Finding("ok", "the epochs differ in every run")


def _need_readable(ctx: Context) -> None:
    if ctx.serial.whole and not ctx.repeats(ctx.serial.epoch(0)):
        repeated = number_list(ctx.order.indices[: ctx.order.repeats])
        raise NotMeasured(f"the samples that are read repeatedly raise errors: {repeated}")


def _random_inside(ctx: Context, run: Run) -> bool:
    seen = defaultdict(set)
    for record in ctx.repeats(run.epoch(0)):
        seen[record.worker, record.index].add(record.digest)
    return any(len(digests) > 1 for digests in seen.values())


def _by_worker(records: list[Record]) -> dict[int, list[Record]]:
    result = defaultdict(list)
    for record in sorted(records, key=lambda record: record.turn):
        result[record.worker or 0].append(record)
    return dict(sorted(result.items()))


def _equal_draws(ctx: Context, records: list[Record]) -> tuple[int, int, list[tuple[int, int]]]:
    """Return how many readings equal the first worker's of the same turn, how many there are, and each (index, worker)."""
    workers = _by_worker(records)
    if len(workers) < 2 or len({record.digest for record in records}) < 2:
        return 0, 0, []
    digests = defaultdict(set)
    for record in records:
        digests[record.index].add(record.digest)
    first, *others = workers.values()
    equal, total = [], 0
    for other in others:
        for one, two in zip(first, other, strict=False):
            if one.index == two.index and len(digests[one.index]) > 1:
                total += 1
                if one.digest == two.digest:
                    equal.append((one.index, two.worker or 0))
    return len(equal), total, equal


def _matrix(ctx: Context, run: Run, epoch: int) -> Matrix:
    numbers: dict[str | None, int] = {}
    cells = [
        tuple(numbers.setdefault(record.digest, len(numbers)) for record in records[:32])
        for records in _by_worker(ctx.repeats(run.epoch(epoch))).values()
    ]
    width = min(map(len, cells))
    batch = ctx.order.batch
    return Matrix(
        f"{run.plan.name}, epoch {epoch}: the samples that each worker gave for the same indices; equal colours mean equal bytes",
        tuple(f"worker {number}" for number in range(len(cells))),
        tuple(f"batch {turn // batch}, sample {turn % batch}" for turn in range(width)),
        tuple(row[:width] for row in cells),
    )


def _pictures(ctx: Context, run: Run, epoch: int) -> tuple[Picture, ...]:
    shown = []
    for worker, records in _by_worker(ctx.repeats(run.epoch(epoch))).items():
        shown += [
            Picture(f"sample {record.index}, worker {worker}, reading {record.turn}", record.picture)
            for record in records[:2]
            if record.picture
        ]
    return tuple(shown[:8])


def _equal_epochs(ctx: Context, run: Run) -> tuple[int, int]:
    """Return how many readings of epoch 1 equal their counterpart in epoch 0, and how many have one."""
    first: dict[tuple[int, int], set[str | None]] = defaultdict(set)
    for record in _counterparts(ctx, run, 0):
        first[_position(ctx, run, record)].add(record.digest)
    second = [record for record in _counterparts(ctx, run, 1) if _position(ctx, run, record) in first]
    return sum(record.digest in first[_position(ctx, run, record)] for record in second), len(second)


def _is_pool(ctx: Context, run: Run) -> bool:
    """Return whether the workers are a pool that reads in any order, so that only turns can be compared."""
    return ctx.subject.loader == "keras" and run.plan.workers > 0


def _counterparts(ctx: Context, run: Run, epoch: int) -> list[Record]:
    return (ctx.repeats if _is_pool(ctx, run) else ctx.singles)(run.epoch(epoch))


def _position(ctx: Context, run: Run, record: Record) -> tuple[int, int]:
    if _is_pool(ctx, run):
        return 0, record.turn
    return (record.worker or 0) if ctx.subject.iterable else 0, record.position


def _loader_or(ctx: Context, run: Run, *, epochs: bool = False) -> AtFault:
    """Return "loader" if the fault is gone without the loader's worker_init_fn, otherwise the source of the randomness."""
    if ctx.subject.worker_init is not None and run.plan.workers:
        without = ctx.parallel(run.plan.workers, run.plan.method, init=False)
        if without.whole:
            if epochs:
                equal, total = _equal_epochs(ctx, without)
            else:
                equal, total, _ = _equal_draws(ctx, ctx.repeats(without.epoch(0)))
            if not beyond_chance(equal, total, min(ctx.collisions, 0.99)):
                return "loader"
    return ctx.source


def _common_samples(ctx: Context) -> Finding:
    """Compare the samples that the workers give from an iterable dataset."""
    evidence, samples, whole = [], set(), []
    for run in ctx.parallels():
        if not run.whole:
            continue
        whole.append(run)
        streams = _by_worker([record for record in run.epoch(0) if record.digest])
        serial = [record.digest for record in ctx.serial.epoch(0)]
        counts = Counter(
            digest for stream in streams.values() for digest in {record.digest for record in stream}
        )
        shared = {digest for digest, workers in counts.items() if workers > 1}
        all_items = len({record.digest for stream in streams.values() for record in stream})
        if len(set(serial)) > 1 and len(shared) > all_items // 4:
            samples |= {r.index for stream in streams.values() for r in stream if r.digest in shared}
            evidence.append(
                f"{run.plan.name}: {len(shared)} of {all_items} samples come from more than one worker"
            )
        elif len(streams) > 1 and all(
            len(stream) == len(serial) < len(ctx.order.indices) for stream in streams.values()
        ):
            evidence.append(
                f"{run.plan.name}: each worker gives all {len(serial)} samples, with its own draws"
            )
    if not whole:
        raise NotMeasured(ctx.trouble(*ctx.parallels()) or "no loader can read this dataset with workers")
    if evidence:
        text = "every worker iterates over the whole dataset. Split it by torch.utils.data.get_worker_info()"
        return Finding("fault", text, evidence, samples, "dataset")
    return Finding("ok", "the workers give different samples")
