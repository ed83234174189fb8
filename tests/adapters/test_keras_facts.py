"""What the adapter relies on in Keras itself: a release that changes one of these is noticed here."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from keras_stream import streams

pytestmark = pytest.mark.timeout(180)

FACTS = {
    ("keras", "tensorflow"): (
        "sequence_is_pydataset", "alone", "threads", "processes", "workers_before_training",
        "fewer_steps_than_batches", "fewer_validation_steps", "endless", "shuffled", "refused_under_a_strategy",
    ),
    ("keras", "torch"): (
        "alone", "threads", "processes", "workers_before_training", "fewer_steps_than_batches", "fewer_validation_steps", "endless",
        "refused_before_training",
    ),
    ("tf_keras", "tensorflow"): ("sequence_is_pydataset", "alone", "shuffled", "processes_of_tf_keras", "resumed_midway"),
}  # fmt: skip
BACKENDS = pytest.mark.parametrize("backend", ["tensorflow", "torch"])


@cache
def _answers(framework: str, backend: str) -> dict[str, Any]:
    names = FACTS[framework, backend]
    answers = streams([{"fact": name} for name in names], framework=framework, backend=backend)
    return dict(zip(names, answers, strict=True))


def fact(name: str, framework: str = "keras", backend: str = "tensorflow") -> Any:
    answer = _answers(framework, backend)[name]
    assert "error" not in answer, answer["error"]
    return answer


def test_sequence_is_pydataset_in_keras_3_and_another_class_in_tf_keras() -> None:
    assert fact("sequence_is_pydataset")["same"]
    assert not fact("sequence_is_pydataset", "tf_keras")["same"]


@BACKENDS
def test_what_a_callback_sets_at_an_epochs_begin_reaches_all_workers_of_that_epoch(backend: str) -> None:
    assert fact("threads", backend=backend)["marks"] == [[0], [1], [2]]
    assert fact("processes", backend=backend)["marks"] == [[0], [1]]


def test_what_a_callback_sets_reaches_the_workers_of_tf_keras() -> None:
    assert fact("processes_of_tf_keras", "tf_keras")["marks"] == [[1]]


@BACKENDS
def test_the_hooks_of_a_dataset_cannot_count_epochs(backend: str) -> None:
    log = fact("alone", backend=backend)["log"]
    assert log.index("dataset end") < log.index("callback begin 0")
    assert log.count("dataset end") == 3  # for two epochs


def test_tf_keras_has_another_number_of_hook_calls() -> None:
    assert fact("alone", "tf_keras")["log"].count("dataset end") == 2
    assert "dataset begin" not in fact("alone", "tf_keras")["log"]


def test_tensorflow_reads_two_batches_before_training_and_tf_keras_one() -> None:
    before = fact("alone")["log"]
    assert before[: before.index("dataset end")] == ["read 0", "read 1"]
    before = fact("alone", "tf_keras")["log"]
    assert before[: before.index("callback begin 0")] == ["read 0"]


def test_workers_started_to_build_the_model_leave_stale_batches_on_torch_only() -> None:
    torch = fact("workers_before_training", backend="torch")
    assert torch["numbers"][0] != [0, 1, 2, 3]
    assert -1 in torch["marks"][0]  # read before the first epoch, and trained on
    assert fact("workers_before_training")["numbers"] == [[0, 1, 2, 3]] * 2


@BACKENDS
def test_fewer_steps_than_batches_carry_batches_into_the_next_epoch(backend: str) -> None:
    answer = fact("fewer_steps_than_batches", backend=backend)
    assert answer["numbers"] == [[0, 1, 2], [3]]
    assert answer["marks"] == [[0], [0]]


@BACKENDS
def test_fewer_validation_steps_carry_batches_into_the_next_validation(backend: str) -> None:
    numbers = fact("fewer_validation_steps", backend=backend)["numbers"]
    assert numbers[0] == [0, 1, 2]
    assert numbers[1] != [0, 1, 2]


@BACKENDS
def test_an_endless_dataset_is_read_at_the_number_of_the_step(backend: str) -> None:
    assert fact("endless", backend=backend)["numbers"] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


@pytest.mark.parametrize("framework", ["keras", "tf_keras"])
def test_fit_shuffles_batches_by_pythons_global_generator(framework: str) -> None:
    answer = fact("shuffled", framework)
    assert answer["equal"]
    assert answer["numbers"][0] != sorted(answer["numbers"][0])


def test_workers_started_to_build_the_model_are_refused_and_stopped() -> None:
    answer = fact("refused_before_training", backend="torch")
    for call in ("fit", "evaluate"):
        assert answer[call].startswith("Keras started this sequence's workers to build the model")
        assert "seedsafe_keras.fit" in answer[call]
    assert "EpochCallback" in answer["fit without callback"]
    assert answer["evaluate of seedsafe"] == "no error"
    assert answer["left"] == 0


def test_workers_that_tensorflow_starts_under_a_strategy_are_refused() -> None:
    assert fact("refused_under_a_strategy")["workers"] == [0, 1, True]


def test_an_epoch_that_tf_keras_resumes_in_its_middle_is_refused() -> None:
    told = fact("resumed_midway", "tf_keras")["told"]
    assert told.startswith("tf-keras resumes this epoch at step 2, but reads the data from batch 0")
    assert "save_freq='epoch'" in told
