"""What processes do to a list of failures; apart, so that spawned ones import no more than this."""

from __future__ import annotations

import multiprocessing
from typing import Any

from seedsafe.reading import FailureLog


def adding(log: FailureLog, start: int) -> None:
    for index in range(start, start + 50):
        log.add(1, index, "ValueError: " + "long " * 150)


def rank(log: FailureLog, results: Any) -> None:
    context: Any = multiprocessing.get_context(multiprocessing.get_all_start_methods()[0])
    with context.Pool(1) as pool:
        pool.apply(adding, (log, 0))
    worker = context.Process(target=adding, args=(log, 100), daemon=True)
    worker.start()
    worker.join()
    results.put({epoch: list(found) for epoch, found in log.failures().items()})
