"""Audit a dataset: run it and answer questions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from seedsafe.ground.checks import checked_int
from seedsafe.ground.process import child, is_starting
from seedsafe_audit.causes import concern_draws, group
from seedsafe_audit.options import SLOW
from seedsafe_audit.questions import QUESTIONS, Context, ask
from seedsafe_audit.report import Report
from seedsafe_audit.runs import Run, order_of
from seedsafe_audit.subject import subject_of

__all__ = ["Progress", "audit"]

Progress = Callable[[int, int, str], None]
"""Called with the number of answers so far, the number of questions, and the name of the current run."""


def audit(
    dataset: Any,
    *,
    samples: int = 256,
    workers: Iterable[int] = (0, 2, 4),
    start_methods: Iterable[str] = ("fork", "spawn"),
    epochs: int = 2,
    timeout: float = 60.0,
    questions: Iterable[str] | None = None,
    loader: str = "auto",
    memory_reads: int = 20_000,
    memory_seconds: float = 20.0,
    progress: Progress | None = None,
) -> Report:
    """Read a dataset in real loaders, and answer questions about its samples.

    Only forked processes read the dataset, so your object and the process-wide generators stay unchanged. Spawned workers
    import the main script again, so call this below ``if __name__ == "__main__":``.

    Args:
        dataset: a map-style or iterable torch dataset, a DataLoader (for its dataset and worker_init_fn), a Keras Sequence
            or PyDataset, or any object with indices.
        samples: the number of samples (or of a Keras Sequence's batches) to read, at least 8, spread over the dataset.
        workers: the numbers of workers to try.
        start_methods: the start methods of the workers: "fork", "spawn", "forkserver".
        epochs: the number of passes of each run, at least 1. The audit calls the dataset's `set_epoch`, if it has one.
        timeout: seconds for one sample. A process that takes longer is ended, and the report has its stack.
        questions: names of `seedsafe_audit.questions.QUESTIONS`. All by default.
        loader: "torch", "keras" or "processes". "auto" follows the dataset's class.
        memory_reads: the number of readings that measure memory. The verdict needs 20,000.
        memory_seconds: seconds for these readings.
        progress: a function to call with (questions answered, questions in all, run).

    Returns:
        The report: ``report["duplicates"].verdict`` is one answer, and `report.exit_code()` is for CI.

    Raises:
        TypeError: the dataset can be neither indexed nor iterated.
        ValueError: an argument is out of its range, or the dataset is empty.
        RuntimeError: a worker process calls it, or the system has no fork.

    Example:
        >>> import seedsafe as ss
        >>> report = ss.audit(list(range(20)), samples=8, questions=["raises", "order"], loader="processes")
        >>> report["order"].verdict
        'ok'
    """
    from multiprocessing import get_all_start_methods  # slow to import

    _check_process()
    asked = _among("questions", QUESTIONS if questions is None else questions, QUESTIONS)
    chosen = sorted(asked, key=list(QUESTIONS).index)
    numbers = {checked_int("workers", count, 0, 65, "pass numbers of workers up to 64") for count in workers}
    counts = tuple(sorted(numbers - {0}))
    methods = tuple(_among("start_methods", start_methods, get_all_start_methods()))
    checked_int("samples", samples, 8, 2**31, "pass 8 or more")
    checked_int("epochs", epochs, 1, 1000, "pass 1 or more")
    if not timeout > 0:
        raise ValueError(f"timeout must be more than 0 seconds, got {timeout!r}")
    subject = subject_of(dataset, loader)
    if subject.iterable and subject.loader != "torch":
        counts = ()  # only torch's loader has workers for an iterable
    answers: list[Any] = []

    def beat(run: str) -> None:
        if progress is not None:
            progress(len(answers), len(chosen), run)

    context = Context(
        subject=subject,
        order=order_of(subject.length, samples, counts, one=subject.loader == "keras"),
        timeout=timeout,
        beat=beat,
        workers=counts,
        methods=methods,
        epochs=epochs,
        samples=samples,
        memory=(memory_reads, memory_seconds),
    )
    if not {*QUESTIONS} - {*SLOW} - {*chosen}:
        context.ahead()
    for name in chosen:
        answers.append(ask(context, name, answers))
    if concern_draws(answers):
        answers = group(answers, context.lines)
    beat("")
    return Report(
        subject=subject.name,
        answers=tuple(answers),
        runs=tuple(_description(run) for run in context.done.values()),
        settings={
            "samples": samples,
            "workers": [0, *counts],
            "start_methods": list(methods),
            "epochs": epochs,
            "timeout": timeout,
            "loader": subject.loader,
        },
        versions=_versions(),
    )


def _check_process() -> None:
    if child() is not None or is_starting():
        raise RuntimeError(
            "audit was called in a worker process, which imports the main script: put the call below "
            'if __name__ == "__main__":'
        )
    if not hasattr(os, "fork"):
        raise RuntimeError("audit needs os.fork, which this system does not have: run it on Linux or macOS")


_GONE = {
    "pools": "count a worker's threads with threadpoolctl, or switch OpenCV's off by seedsafe.opencv.guard()",
    "outliers": "compare the ranges of samples by seedsafe.channel_stats",
    "forms": "compare the dtype and the shape of samples in a loop over the dataset",
    "outside": "test that dataset[len(dataset)] raises IndexError",
    "hash-order": "ask workers, with a spawned start method",
}


def _among(name: str, values: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the values, each once, or raise ValueError if one is not known or there is none."""
    chosen = list(dict.fromkeys(values))
    for one in chosen or [""]:
        if one not in known:
            way_out = f". It is no question any more: {_GONE[one]}" if one in _GONE else ""
            raise ValueError(f"{name} must be among {', '.join(known)}, got {one!r}{way_out}")
    return chosen


def _description(run: Run) -> dict[str, Any]:
    return {
        "name": run.plan.name,
        "readings": len(run.records),
        "seconds": round(run.outcome.seconds, 3),
        "end": run.trouble or "whole",
        "log": "" if run.whole else run.outcome.log[-1000:],
    }


def _versions() -> dict[str, str]:
    result = {"Python": platform.python_version(), "NumPy": np.__version__}
    for name in ("torch", "keras", "tensorflow", "tf_keras", "cv2", "torchvision", "albumentations"):
        if name in sys.modules:
            result[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return result
