"""How does the dataset behave in worker processes?"""

from __future__ import annotations

import contextlib
import gc
import re
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from seedsafe.bridging.walk import Location, held_by, walk
from seedsafe_audit.questions.context import Context, Finding, NotMeasured

__all__ = ["ends", "memory", "pickling"]

_GROWTH, _LEAST, _WARM, _BLOCKS = 32, 20_000, 500, 5
_TRIED, _HOPELESS = 32, 2.0  # after so many readings, give up if all would take more than twice the time


def ends(ctx: Context) -> Finding:
    """List the runs that hung or died."""
    hung, died = [], []
    for run in [ctx.serial, *ctx.parallels()]:
        for hang in run.outcome.hangs:
            hung.append(f"{run.plan.name}: process {hang.pid} hung, {hang.doing}\n{hang.stack}")
        if run.trouble and not run.outcome.hangs:
            died.append(run.trouble)
    if hung:
        text = (
            f"a process hung for {ctx.timeout:g} s and was ended. Look in its stack for a lock, a file or a thread pool, and "
            "open that in the worker"
        )
        indices = map(int, re.findall(r"reading index (-?\d+)", "\n".join(hung)))
        return Finding("fault", text, (*hung, *died), indices, "dataset")
    if died:
        text = "a run ended early. Fix the error below, or use less memory if the system killed it"
        return Finding("fault", text, tuple(died), (), "dataset" if ctx.serial.outcome.error else None)
    return Finding("ok", "every run finished")


def pickling(ctx: Context) -> Finding:
    """Pickle the dataset as spawn does, and look for the part that cannot be."""
    if type(ctx.subject.dataset).__module__.startswith("tensorflow."):
        raise NotMeasured("tf.data reads it in threads, so no process gets it")
    from multiprocessing.context import set_spawning_popen
    from multiprocessing.reduction import ForkingPickler

    def work(say: Callable[[str], None]) -> Iterator[tuple[int, list[str]]]:
        worker: Any = _Worker()
        set_spawning_popen(worker)  # locks and shared memory can be pickled only while a worker starts
        lines = _unpicklable(ctx.subject.dataset, ForkingPickler.dumps)
        yield 0 if lines else len(ForkingPickler.dumps(ctx.subject.dataset)), lines

    (outcome,) = ctx.call("pickling", work)
    if not outcome.items:
        raise NotMeasured(outcome.error or "pickling hung")
    ((size, lines),) = outcome.items
    if lines:
        text = (
            "it cannot be pickled, so workers by spawn (macOS, Windows) or forkserver cannot receive it. Open files and locks "
            "lazily, and use module-level functions instead of lambdas"
        )
        return Finding("fault", text, lines, (), "dataset")
    evidence = (f"{size:,} bytes go to each worker",)
    for run in ctx.parallels():
        if run.plan.method != "fork" and run.outcome.error:
            text = "it can be pickled, but a spawned worker cannot start with it. Fix the error below"
            return Finding("fault", text, (*evidence, run.trouble), (), "dataset")
    return Finding("ok", "it can be pickled", evidence)


class _Worker:
    """Stands for a worker that is being started."""

    def duplicate_for_child(self, file: int) -> int:
        return file

    DupFd = duplicate_for_child


def _unpicklable(dataset: Any, dumps: Callable[[Any], Any]) -> list[str]:
    """Return the innermost parts that cannot be pickled, and why."""
    found: dict[Location, str] = {}
    for location in walk(
        dataset, lambda location: held_by(location.thing) if location in found else (), depth=5
    ):
        try:
            dumps(location.thing)
        except Exception as error:  # noqa: BLE001  # it may raise anything
            found[location] = f"dataset{location.path} cannot be pickled: {type(error).__name__}: {error}"
    around = {location.above for location in found}
    return [line for location, line in found.items() if location not in around][:5]


def memory(ctx: Context) -> Finding:
    """Read many times in one forked process, and measure its private memory."""
    reads, seconds = ctx.memory
    ctx.need(ctx.serial)
    dataset, count = ctx.subject.dataset, ctx.subject.length or 1

    def work(say: Callable[[str], None]) -> Iterator[tuple[int, int | None, float]]:
        gc.freeze()  # otherwise the collector writes to every object
        begun = time.monotonic()
        for read in range(_WARM + reads + 1):
            if read % 100 == 0:
                say("reading index 0")
            with contextlib.suppress(Exception):  # another question lists them
                dataset[read % count]
            done, spent = read - _WARM, time.monotonic() - begun
            needed = spent / (read + 1) * (_WARM + _LEAST)
            late = spent > seconds or (read > _TRIED and needed > _HOPELESS * seconds)
            if late or (done >= 0 and done % max(reads // _BLOCKS, 1) == 0):
                yield done, _private_memory(), needed
            if late:
                return

    (outcome,) = ctx.call("memory", work)
    if outcome.error or not outcome.items:
        raise NotMeasured(outcome.error or "reading hung")
    done, after, needed = outcome.items[-1]
    if done < _LEAST:
        raise NotMeasured(
            f"needs {_LEAST:,} readings, {max(done, 0):,} were made in the limit of {seconds:g} s: pass --memory-seconds {needed:.0f}"
        )
    if after is None:
        raise NotMeasured("this system does not report private memory")
    marks = [private for _, private, _ in outcome.items]
    before, grown = marks[0], (after - marks[0]) / done
    # The median, because a single leap is not steady growth.
    steady = statistics.median(two - one for one, two in pairwise(marks)) * _BLOCKS / done
    evidence = (f"{done:,} readings in one process: {before / 2**20:.1f} → {after / 2**20:.1f} MiB private",)
    if min(grown, steady) > _GROWTH:
        text = (
            f"a worker's memory grows by {grown:.0f} bytes per reading, because Python objects are copied when they are first "
            "touched or it collects something. Keep one array instead of many objects"
        )
        return Finding("fault", text, evidence, (), "dataset")
    text = f"a worker's private memory grows by {max(min(grown, steady), 0):.0f} bytes per reading"
    return Finding("ok", text, evidence)


def _private_memory() -> int | None:
    """Return the bytes of memory that no other process shares, or None if the system does not report them."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return 1024 * sum(
        int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty", "Private_Clean"))
    )
