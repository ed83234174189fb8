"""Audit a dataset: run it and answer questions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from seedsafe.ground.process import child, is_starting
from seedsafe.keys.key import checked_int
from seedsafe_audit.causes import joined, tell_of_draws
from seedsafe_audit.draws import Draw, draws
from seedsafe_audit.questions import QUESTIONS, Context, ask
from seedsafe_audit.recording import Recorder
from seedsafe_audit.report import Report
from seedsafe_audit.runs import Order, Run, Runs, order_of
from seedsafe_audit.subject import Subject, subject_of

__all__ = ["Progress", "audit"]

Progress = Callable[[int, int, str], None]
"""Called with the questions answered, their number, and the run that is being made."""


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
    """Run a dataset in real loaders, and answer questions about what they delivered.

    The dataset is read in forked processes only, so the caller's object stays as it is, and so do the process-wide
    generators. Spawned workers import the main script again: call it below ``if __name__ == "__main__":``.

    Args:
        dataset: a map-style or iterable torch dataset, a DataLoader (its dataset and worker_init_fn are taken), a Keras
            Sequence or PyDataset, or anything that can be indexed.
        samples: how many samples (batches of a Keras Sequence) are read, at least 8; they are spread over the dataset.
        workers: the numbers of workers to try.
        start_methods: of the workers: "fork", "spawn", "forkserver".
        epochs: passes of each run, at least 1; the dataset's `set_epoch` is called where it has one.
        timeout: seconds in which a sample must be read; what takes longer is reported with its stack and ended.
        questions: names of `seedsafe_audit.questions.QUESTIONS`; all by default.
        loader: "torch", "keras" or "processes"; "auto" follows the dataset's class.
        memory_reads: readings that measure memory; the verdict needs 20,000.
        memory_seconds: the time for them.
        progress: is called with (questions answered, questions in all, run).

    Returns:
        The report; ``report["duplicates"].verdict`` is one answer, `report.exit_code()` is for CI.

    Raises:
        TypeError: the dataset can be neither indexed nor iterated.
        ValueError: an argument is out of its range, or the dataset is empty.
        RuntimeError: it runs in a worker process, or the system has no fork.

    Example:
        >>> import seedsafe as ss
        >>> report = ss.audit(list(range(20)), samples=8, questions=["raises", "order"], loader="processes")
        >>> report["order"].verdict
        'ok'
    """
    _check_process()
    chosen = _checked_questions(questions)
    counts = _checked_workers(workers)
    methods = _checked_methods(start_methods)
    checked_int("samples", samples, 8, 2**31, "pass 8 or more")
    checked_int("epochs", epochs, 1, 1000, "pass 1 or more")
    if not timeout > 0:
        raise ValueError(f"timeout must be more than 0 seconds, got {timeout!r}")
    subject = subject_of(dataset, loader)
    if subject.iterable and subject.loader != "torch":
        counts = ()  # no loader has workers for it
    answers: list[Any] = []

    def beat(run: str) -> None:
        if progress is not None:
            progress(len(answers), len(chosen), run)

    runs = Runs(subject, _order(subject, samples, counts), timeout, beat)
    context = Context(
        subject, runs.order, runs, counts, methods, epochs, samples, (memory_reads, memory_seconds)
    )
    for name in chosen:
        answers.append(ask(context, name, answers))
    if tell_of_draws(answers):
        answers = joined(answers, _draws(context))
    if progress is not None:
        progress(len(chosen), len(chosen), "")
    return Report(
        subject=subject.name,
        answers=tuple(answers),
        runs=tuple(_described(run) for run in runs.made()),
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


def _draws(ctx: Context) -> list[Draw]:
    """Read the first and the last samples in a process of their own, and return the lines that draw."""

    def work(folder: str) -> Iterator[Draw]:
        recorder = Recorder(ctx.subject.dataset, [0], folder)
        return draws(ctx.subject, (ctx.order.indices[0], *ctx.order.indices[-2:]), recorder.tell_of)

    return list(ctx.runs.call("the lines that draw", work).items)


def _order(subject: Subject, samples: int, workers: tuple[int, ...]) -> Order:
    if subject.length is None:
        return Order(tuple(range(samples)), 0, 4)
    return order_of(subject.length, samples, workers, one=subject.loader == "keras")


def _check_process() -> None:
    if child() is not None or is_starting():
        raise RuntimeError(
            "audit was called in a worker process, which imports the main script: put the call below "
            'if __name__ == "__main__":'
        )
    if not hasattr(os, "fork"):
        raise RuntimeError("audit needs os.fork, which this system does not have: run it on Linux or macOS")


def _checked_questions(questions: Iterable[str] | None) -> list[str]:
    chosen = list(QUESTIONS) if questions is None else list(questions)
    for name in chosen:
        if name not in QUESTIONS:
            raise ValueError(f"questions must be among {', '.join(QUESTIONS)}, got {name!r}")
    return sorted(set(chosen), key=list(QUESTIONS).index)


def _checked_workers(workers: Iterable[int]) -> tuple[int, ...]:
    counts = {checked_int("workers", count, 0, 65, "pass numbers of workers up to 64") for count in workers}
    return tuple(sorted(counts - {0}))


def _checked_methods(methods: Iterable[str]) -> tuple[str, ...]:
    import multiprocessing

    known = multiprocessing.get_all_start_methods()
    chosen = tuple(dict.fromkeys(methods))
    for method in chosen:
        if method not in known:
            raise ValueError(f"start_methods must be among {', '.join(known)}, got {method!r}")
    if not chosen:
        raise ValueError(f"start_methods must have one or more of {', '.join(known)}, got none")
    return chosen


def _described(run: Run) -> dict[str, Any]:
    return {
        "name": run.plan.name,
        "readings": len(run.records),
        "seconds": round(run.outcome.seconds, 3),
        "end": run.trouble or "whole",
        "log": "" if run.whole else run.outcome.log[-1000:],
    }


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version(), "NumPy": np.__version__}
    for name in ("torch", "keras", "tensorflow", "tf_keras", "cv2", "torchvision", "albumentations"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return found
