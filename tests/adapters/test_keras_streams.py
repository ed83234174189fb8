"""What model.fit trains on is the contract's stream, whatever reads it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from keras_data import Config, expected
from keras_stream import streams


class Session(NamedTuple):
    """One process."""

    framework: str
    backend: str
    start: str
    full: bool = False


THREADS: Config = {"workers": 2}
PROCESSES: Config = {"workers": 2, "use_multiprocessing": True, "max_queue_size": 2}
REPEAT: Config = {"repeat": True, "shuffle": True}

QUICK: dict[Session, list[Config]] = {
    Session("keras", "tensorflow", "fork"): [
        {},
        {"kind": "batches"},
        {"workers": 0, "shuffle": True, "validation": True},
        {"shuffle": True, "graph": True},
        {"kind": "batches", "shuffle": True, "workers": 4},
        {**THREADS, "shuffle": True, "validation": True, "validation_steps": 2},
        {**THREADS, "shuffle": True, "stopped": True, "count": 60},
        {**THREADS, "shuffle": True, "midway": True},
        {**THREADS, "plain": True, "shuffle": True, "validation": True},
        {**THREADS, "plain": True, **REPEAT, "steps_per_epoch": 3},
        {**THREADS, **REPEAT, "steps_per_epoch": 7, "initial_epoch": 1},
        {**THREADS, "batch_size": 1, "max_queue_size": 1, "graph": True, "steps_per_execution": 3},
        {**PROCESSES, "shuffle": True, "validation": True},
        {**PROCESSES, "kind": "batches", "workers": 1, "initial_epoch": 1},
        {**PROCESSES, **REPEAT, "workers": 4, "steps_per_epoch": 3},
        {**PROCESSES, "plain": True, "batch_size": 8},
        {**THREADS, "shuffle": True, "foreign": True},
    ],
    Session("keras", "torch", "fork"): [
        {"workers": 0, "shuffle": True},
        {"kind": "batches", "validation": True},
        {**THREADS, "shuffle": True, "validation": True},
        {**THREADS, "plain": True, "built": True, "shuffle": True},
        {**THREADS, **REPEAT, "steps_per_epoch": 3},
        {**PROCESSES, "workers": 4, "shuffle": True},
        {**PROCESSES, "kind": "batches", **REPEAT, "steps_per_epoch": 7, "initial_epoch": 1},
    ],
    Session("tf_keras", "tensorflow", "fork"): [
        {"shuffle": True, "validation": True, "validation_steps": 3},
        {"kind": "batches", "plain": True, "initial_epoch": 1},
        {**REPEAT, "steps_per_epoch": 3, "foreign": True, "validation": True},
        {**THREADS, **REPEAT, "steps_per_epoch": 7, "initial_epoch": 1, "epochs": 2},
        {**PROCESSES, "shuffle": True, "epochs": 2},
    ],
    Session("keras", "torch", "forkserver"): [{**PROCESSES, "workers": 1, "initial_epoch": 1, "epochs": 2}],
    Session("keras", "tensorflow", "spawn"): [{**PROCESSES, "shuffle": True, "epochs": 2, "workers": 1}],
}


def _matrix(framework: str, backend: str, start: str) -> Iterator[Config]:
    pools: list[Config] = [{**PROCESSES, "workers": workers} for workers in (1, 2, 4)]
    if start == "fork":
        pools += [{"workers": workers} for workers in (0, 1, 2, 4)]
    runs: list[Config] = [{}, {"validation": True}, {"initial_epoch": 1}, {**REPEAT, "steps_per_epoch": 3}]
    brief = start != "fork" or framework == "tf_keras"
    for pool, kind, shuffle, run in itertools.product(pools, ("samples", "batches"), (False, True), runs):
        if not brief:
            yield {**pool, "kind": kind, "shuffle": shuffle, **run}
        elif shuffle == (kind == "samples") and run is not runs[2]:
            yield {**pool, "kind": kind, "shuffle": shuffle, "epochs": 2, **run}


FULL = {
    Session(*place, full=True): list(_matrix(*place))
    for place in [
        *itertools.product(["keras"], ["tensorflow", "torch"], ["fork", "spawn", "forkserver"]),
        ("tf_keras", "tensorflow", "fork"),
        ("tf_keras", "tensorflow", "spawn"),
    ]
}


@cache
def answers(session: Session) -> list[dict[str, Any]]:
    configs = (FULL if session.full else QUICK)[session]
    scrambled: list[Config] = [{**config, "scramble": number} for number, config in enumerate(configs)]
    return streams(scrambled, framework=session.framework, backend=session.backend, start=session.start)


def cases(sessions: dict[Session, list[Config]]) -> list[Any]:
    return [
        pytest.param(session, number, config, id=f"{'-'.join(session[:3])}-{number}")
        for session, configs in sessions.items()
        for number, config in enumerate(configs)
    ]


def check(session: Session, number: int, config: Config) -> None:
    answer = answers(session)[number]
    assert "error" not in answer, answer["error"]
    assert answer["train"] == expected(config)
    if config.get("validation"):
        assert answer["test"] == expected(config, validation=True)
    assert answer["random"], "Python's global generator has moved"
    assert answer["numpy"], "NumPy's global generator has moved"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("session", "number", "config"), cases(QUICK))
def test_stream(session: Session, number: int, config: Config) -> None:
    check(session, number, config)


@pytest.mark.matrix
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("session", "number", "config"), cases(FULL))
def test_stream_in_full(session: Session, number: int, config: Config) -> None:
    check(session, number, config)


def test_expected_streams_differ_between_epochs_and_stay_within_one() -> None:
    stream = expected({"shuffle": True})
    epochs = [[sample[1:] for sample in stream if sample[0] == epoch] for epoch in range(3)]
    assert all(sorted(index for index, _ in epoch) == list(range(11)) for epoch in epochs)
    assert not set(epochs[0]) & set(epochs[1])
    assert [index for index, _ in epochs[0]] != [index for index, _ in epochs[1]]


@pytest.mark.timeout(120)
def test_a_sequence_that_keeps_its_first_epoch_is_noticed() -> None:
    config: Config = {"shuffle": True, "broken": True}
    (answer,) = streams([config], backend="torch")
    assert len(answer["train"]) == len(expected(config))
    assert answer["train"] != expected(config)


@pytest.mark.timeout(120)
def test_what_spawned_workers_cannot_unpickle_is_refused_in_the_parent() -> None:
    (answer,) = streams([{**PROCESSES, "unpicklable": True}], backend="torch", start="spawn")
    assert answer["error"].startswith(
        "TypeError: the sequence must be picklable for workers started by 'spawn', but is not"
    )
    assert "without lambdas" in answer["error"]
