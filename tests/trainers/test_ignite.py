"""Ignite's engines: resumed from any iteration, they read the rest of the epoch, and then the next ones."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from recorded import Batches, expected, from_loader, from_sampler, listed

from seedsafe_torch.sampler import keyed_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its imports warn
    from ignite.engine import Engine, Events
    from ignite.engine.deterministic import DeterministicEngine

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

EPOCHS = 3


def run(kind: type[Engine], loading: Any, resume: Any = None) -> tuple[Batches, dict[int, Any]]:
    seen: Batches = []
    states: dict[int, Any] = {}
    engine = kind(lambda _, batch: seen.append(listed(batch)))
    engine.add_event_handler(
        Events.ITERATION_COMPLETED, lambda one: states.update({one.state.iteration: one.state_dict()})
    )
    if resume is not None:
        engine.load_state_dict(resume)
        if kind is Engine:
            loading.resume(step=resume["iteration"])
        else:  # it drops what was read of the epoch
            keyed_of(loading).set_epoch(resume["iteration"] // len(loading))
    engine.run(loading, max_epochs=EPOCHS)
    return seen, states


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("kind", "make"),
    [(Engine, from_loader), (DeterministicEngine, from_loader), (DeterministicEngine, from_sampler)],
)
def test_from_any_iteration(kind: type[Engine], make: Any, workers: int) -> None:
    whole, states = run(kind, make(workers))
    assert whole == expected(EPOCHS)
    for iteration in (1, 4, 6, 11):
        rest, _ = run(kind, make(workers), states[iteration])
        assert rest == expected(EPOCHS)[iteration:], iteration


def test_an_engine_that_reads_a_loader_again_counts_on() -> None:
    seen: Batches = []
    engine, loading = Engine(lambda _, batch: seen.append(listed(batch))), from_loader(0)
    for _ in range(EPOCHS):
        engine.run(loading, max_epochs=1)
    assert seen == expected(EPOCHS)
