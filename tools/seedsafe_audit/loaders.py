"""The loaders: torch's, Keras's and plain processes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from seedsafe.keys.key import SampleIndex
from seedsafe.reading.bases import outermost
from seedsafe_audit.content import digest
from seedsafe_audit.recording import Items, Plan, Record, Recorder
from seedsafe_audit.subject import Subject

__all__ = ["Batches", "passes", "tell"]


def passes(subject: Subject, recorder: Recorder, *, batch: int) -> Iterator[list[Record]]:
    """Read the epochs of the recorder's plan, and yield the records of each batch as it arrives.

    An index of a Keras dataset is a batch already. A dataset with set_epoch, begin_epoch or Keras's hooks gets each epoch.
    """
    import multiprocessing

    plan = recorder.plan
    workers, method = plan.workers, plan.method
    if workers and subject.loader == "keras":
        multiprocessing.set_start_method(method, force=True)
    source: Any = Items(recorder, len(recorder.order)) if subject.iterable else recorder
    loader: Any = None
    for epoch in range(plan.epochs):
        recorder.epoch = epoch
        tell(subject.dataset, epoch)
        if not workers and (subject.loader != "torch" or subject.iterable):
            batches: Iterator[Any] = ([one] for one in source)
        elif subject.loader == "torch":
            if loader is None or isinstance(subject.dataset, Batches):
                loader = _data_loader(subject, source, plan, batch)
            batches = iter(loader)
        elif subject.loader == "keras":
            batches = _keras_batches(subject, recorder, workers)
        else:
            batches = _processes(source, workers, method, batch)
        for arrivals in batches:
            records = [_record(one) for one in arrivals]
            for record in records:
                record.epoch = epoch  # which a worker that persists does not know
            yield records
        _hook(subject, "on_epoch_end")


def tell(dataset: Any, epoch: int) -> None:
    """Set the epoch in the main process, as training loops do. For a Subset, set it in the inner dataset."""
    if hasattr(dataset, "begin_epoch") and hasattr(dataset, "expect_epochs"):
        if not dataset.has_epoch() or getattr(dataset, "epoch", None) is None:
            dataset.begin_epoch(epoch)
        return
    found = [dataset] if hasattr(dataset, "set_epoch") else outermost(dataset)
    for one in found:
        if callable(getattr(one, "set_epoch", None)):
            one.set_epoch(epoch)


def _hook(subject: Subject, name: str) -> None:
    if subject.loader == "keras" and callable(getattr(subject.dataset, name, None)):
        getattr(subject.dataset, name)()


def _record(arrival: Any) -> Record:
    record: Record = arrival if isinstance(arrival, Record) else arrival[0]
    if record is not arrival and not record.failure:
        record.arrival = digest(arrival[1])
    return record


def _data_loader(subject: Subject, source: Any, plan: Plan, batch: int) -> Any:
    data = importlib.import_module("torch.utils.data")
    options: dict[str, Any] = {}
    if plan.workers:
        init = _Init(subject.worker_init if plan.init else None)
        options = {"multiprocessing_context": plan.method, "worker_init_fn": init}
        options["persistent_workers"] = subject.persistent  # or an epoch arrives that the user's does not
    if subject.iterable:
        data.IterableDataset.register(Items)
    if isinstance(subject.dataset, Batches):
        _ = subject.dataset.samples  # before the workers begin, which get the same
        # stamped, so that a keyed collate function knows what was asked for
        options["batch_sampler"] = [[SampleIndex(at, epoch=source.epoch)] for at in range(len(source))]
    else:
        options["batch_size"] = batch
    return data.DataLoader(source, num_workers=plan.workers, collate_fn=_identity, **options)


@dataclass
class Batches:
    """What a collate function makes of the same samples of a dataset, as a dataset.

    Args:
        of: the user's dataset.
        indices: the samples' indices, or None for an iterable dataset.
        size: the number of samples.
        collate: the function.
    """

    of: Any
    indices: tuple[int, ...] | None
    size: int
    collate: Any

    @cached_property
    def samples(self) -> list[Any]:
        """The samples, which are read once."""
        found = self.of if self.indices is None else map(self.of.__getitem__, self.indices)
        return list(islice(found, self.size))

    def __getitem__(self, index: int) -> Any:
        return self.collate(deepcopy(self.samples))


@dataclass
class _Init:
    """A worker_init_fn that shows the user's own object as the worker's dataset, then calls the user's function."""

    init: Any

    def __call__(self, worker: int) -> None:
        info = importlib.import_module("torch.utils.data").get_worker_info()
        recorder = getattr(info.dataset, "recorder", info.dataset)  # of an iterable's items
        of = recorder.base.of if isinstance(recorder.base, Batches) else recorder.base
        object.__setattr__(info, "dataset", of)  # torch lets nobody set it
        if self.init is not None:
            self.init(worker)


def _identity(records: list[Any]) -> list[Any]:
    return records


def _keras_batches(subject: Subject, recorder: Recorder, workers: int) -> Iterator[list[Any]]:
    base = next(
        kind
        for kind in type(subject.dataset).__mro__
        if kind.__name__ in ("PyDataset", "Sequence") and "keras" in kind.__module__
    )
    enqueuer_class = importlib.import_module(base.__module__).OrderedEnqueuer
    _hook(subject, "on_epoch_begin")
    size = {"workers": workers, "max_queue_size": 10}
    old = base.__name__ == "Sequence"  # tf-keras 2
    enqueuer = enqueuer_class(recorder, use_multiprocessing=True, **({} if old else size))
    enqueuer.start(**(size if old else {}))
    try:
        batches = enqueuer.get()
        for _ in range(len(recorder)):
            yield [next(batches)]
    finally:
        enqueuer.stop()


def _processes(source: Any, workers: int, method: str, batch: int) -> Iterator[list[Any]]:
    import multiprocessing
    from multiprocessing.connection import wait

    context: Any = multiprocessing.get_context(method)
    reading: dict[Any, Any] = {}
    for worker in range(workers):
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(source, worker, workers, batch, send), daemon=True)
        process.start()
        send.close()
        reading[receive] = process
    while reading:
        ready: list[Any] = wait(list(reading))
        for receive in ready:
            try:
                yield receive.recv()
            except EOFError:
                process = reading.pop(receive)
                process.join()
                if process.exitcode:
                    raise RuntimeError(f"a worker ended with exit code {process.exitcode}") from None


def _serve(source: Any, worker: int, workers: int, batch: int, send: Any) -> None:
    for start in range(worker * batch, len(source), workers * batch):
        send.send([source[position] for position in range(start, min(start + batch, len(source)))])
