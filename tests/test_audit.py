"""A dataset with the fault and one without, for each question of the audit."""

from __future__ import annotations

from typing import Any

import audit_cases as cases
import audit_keyed_cases as keyed_cases
import numpy as np
import pytest
from torch.utils.data import DataLoader, Subset

import seedsafe as ss
from seedsafe_audit import Report
from seedsafe_audit.questions import QUESTIONS
from seedsafe_torch import AugmentedDataset


def audited(dataset: Any, *questions: str, **options: Any) -> Report:
    settings: dict[str, Any] = {"samples": 32, "start_methods": ("fork",), "workers": (0, 2), "timeout": 30}
    return ss.audit(dataset, questions=questions, **{**settings, **options})


@pytest.fixture(scope="module")
def clean() -> Report:
    """Every question about a dataset with nothing wrong, in forked and spawned workers."""
    return ss.audit(cases.Keyed(), samples=32, workers=(0, 2), memory_reads=20_000)


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_said_about_a_good_dataset(clean: Report, question: str) -> None:
    assert clean[question].verdict == "ok", clean[question]


FAULTS = [
    ("duplicates", cases.StoredGenerator, "fault", "hold copies of the same random state"),
    ("duplicates", cases.StoredFlip, "fault", "hold copies of the same random state"),
    ("epochs", cases.StoredGenerator, "fault", "repeats the random draws"),
    ("epochs", cases.StoredFlip, "fault", "repeats the random draws"),
    ("reproducible", cases.Unseeded, "warning", "two runs with the same seeds differ"),
    ("workers", cases.GlobalNumpy, "warning", "another number of workers"),
    ("order", cases.GlobalNumpy, "warning", "the samples read before"),
    ("batch-size", cases.GlobalNumpy, "warning", "batches of 5 instead of 4"),
    ("kept-draws", keyed_cases.PlainCache, "fault", "it keeps what one reading drew"),
    ("global-state", cases.GlobalNumpy, "warning", "generators that the whole process shares"),
    ("global-draws", cases.GlobalNumpy, "warning", "other code of the process uses too"),
    ("global-draws", cases.ConstantSeed, "fault", "seeded with a constant per sample"),
    ("in-place", cases.InPlace, "fault", "changes the samples that it keeps"),
    ("in-place", cases.Saturates, "fault", "until they saturate"),
    ("in-place", cases.CachedDict, "fault", "changes the samples that it keeps"),
    ("in-place", cases.HiddenInPlace, "fault", "the next one in the same process does not"),
    ("in-place", cases.Buffer, "warning", "a working buffer"),
    ("lost-state", cases.Counts, "warning", "reading changes .count"),
    ("none", cases.SometimesNone, "fault", "None is returned"),
    ("not-finite", cases.DividesByZero, "fault", "NaN or infinite"),
    ("raises", cases.MissingFile, "fault", "errors are raised, FileNotFoundError (1), in 1 of 32 samples"),
    ("length", cases.TooLong, "fault", "len() is 36, but sample 35 raises IndexError"),
    ("memory", cases.ManyObjects, "fault", "memory grows by"),
    ("memory", cases.Leaks, "fault", "memory grows by"),
    ("threads", cases.SharedScratch, "fault", "several threads at once"),
    ("pickle", cases.Unpicklable, "fault", "cannot be pickled"),
    ("at-fault", cases.GivenBuffer, "fault", "arrive with bytes other than"),
]


@pytest.mark.parametrize(
    ("question", "case", "verdict", "text"), FAULTS, ids=lambda one: getattr(one, "__name__", one)
)
def test_a_fault_is_found(question: str, case: type, verdict: str, text: str) -> None:
    answer = audited(case(), question)[question]
    assert (answer.verdict, text in answer.summary) == (verdict, True), answer
    assert answer.evidence
    assert answer.at_fault == "dataset"


def test_every_question_has_a_fault_in_these_tests() -> None:
    assert {question for question, *_ in FAULTS} == set(QUESTIONS) - {"ends", "collate"}


SAMPLES = {
    "none": (cases.SometimesNone, (5,)),
    "not-finite": (cases.DividesByZero, (7,)),
    "raises": (cases.MissingFile, (11,)),
}


@pytest.mark.parametrize("question", SAMPLES)
def test_the_samples_are_named(question: str) -> None:
    case, samples = SAMPLES[question]
    answer = audited(case(), question)[question]
    assert answer.samples == samples
    assert str(samples[0]) in " ".join(answer.evidence)


def test_a_missing_file_is_named() -> None:
    (line,) = audited(cases.MissingFile(), "raises")["raises"].evidence
    assert "file /no/such/photo-11.jpg" in line
    assert "audit_cases.py" in line


def test_an_unpicklable_attribute_is_named() -> None:
    evidence = audited(cases.Unpicklable(), "pickle")["pickle"].evidence
    assert any(line.startswith("dataset.lock cannot be pickled") for line in evidence)


def test_lost_state_is_shown_in_each_worker() -> None:
    (line,) = audited(cases.Counts(), "lost-state")["lost-state"].evidence
    assert line == "dataset.count: worker 0: 0 → 16; worker 1: 0 → 16"


def test_what_is_opened_when_it_is_needed_is_not_lost() -> None:
    assert audited(cases.OpensLazily(), "lost-state")["lost-state"].verdict == "ok"


def test_duplicates_show_who_repeats_whom() -> None:
    answer = audited(cases.StoredGenerator(), "duplicates", workers=(0, 4))["duplicates"]
    assert answer.evidence[0].endswith("readings equal worker 0's, the first of them sample 0, worker 1")


def test_chance_is_no_fault() -> None:
    report = audited(cases.GlobalFlip(), "duplicates", "epochs")
    assert [answer.verdict for answer in report.answers] == ["ok", "ok"]


@pytest.mark.parametrize("question", ["duplicates", "epochs"])
def test_numpys_global_generator_is_cured_by_torch(question: str) -> None:
    assert audited(cases.GlobalNumpy(), question)[question].verdict == "ok"


def test_workers_of_another_loader_repeat_it() -> None:
    report = audited(cases.GlobalNumpy(), "duplicates", "epochs", loader="processes")
    assert [answer.verdict for answer in report.answers] == ["fault", "fault"]


def test_the_transform_is_told_from_the_dataset() -> None:
    report = audited(cases.WithTransform(cases.Noise()), "duplicates", "epochs", "lost-state", "at-fault")
    assert [answer.at_fault for answer in report.answers[:3]] == ["transform"] * 3
    assert "the transform" in report["at-fault"].summary
    assert audited(cases.WithTransform(cases.to_nan), "not-finite")["not-finite"].at_fault == "transform"


def test_the_loader_is_told_from_the_dataset() -> None:
    loading = DataLoader(cases.GlobalNumpy(), num_workers=2, worker_init_fn=cases.same_seed_each_epoch)
    answer = audited(loading, "epochs")["epochs"]
    assert (answer.verdict, answer.at_fault) == ("fault", "loader")
    loading = DataLoader(cases.GlobalNumpy(), num_workers=2, worker_init_fn=cases.same_seed_in_all)
    answer = audited(loading, "duplicates")["duplicates"]
    assert (answer.verdict, answer.at_fault) == ("fault", "loader")


def test_what_the_loader_delivers_is_compared() -> None:
    answer = audited(cases.Base(), "at-fault")["at-fault"]
    assert answer.verdict == "ok"
    assert answer.summary == "the loader delivers what the dataset returns"


def test_a_random_dataset_is_not_measured_with_threads() -> None:
    answer = audited(cases.StoredGenerator(), "threads")["threads"]
    assert (answer.verdict, "read before" in answer.summary) == ("not measured", True)


def test_memory_needs_20_000_readings() -> None:
    answer = audited(cases.Base(), "memory", memory_reads=2_000)["memory"]
    assert answer.verdict == "not measured"
    assert "needs 20,000 readings, 2,000 were made" in answer.summary


def test_a_dataset_that_always_raises_has_no_good_length() -> None:
    report = audited(cases.AlwaysRaises(), "raises", "length")
    assert (report["raises"].verdict, report["length"].verdict) == ("fault", "not measured")


def test_iterable_datasets() -> None:
    answer = audited(cases.Stream(), "duplicates")["duplicates"]
    assert (answer.verdict, "get_worker_info" in answer.summary) == ("fault", True)
    assert audited(cases.NoisyStream(), "duplicates", samples=64)["duplicates"].verdict == "fault"
    report = audited(cases.SplitStream(), *(name for name in QUESTIONS if name != "memory"))
    assert {answer.verdict for answer in report.answers} == {"ok", "not measured"}
    assert report["duplicates"].verdict == report["reproducible"].verdict == "ok"
    assert report["order"].verdict == "not measured"


def test_an_iterable_dataset_in_spawned_workers() -> None:
    answer = audited(cases.SplitStream(), "duplicates", "ends", start_methods=("spawn",), epochs=1)
    assert [one.verdict for one in answer.answers] == ["ok", "ok"]


def test_a_subset_reads_batches() -> None:
    report = audited(Subset(cases.ConstantSeed(), range(20)), "global-draws", "raises")
    assert [one.verdict for one in report.answers] == ["fault", "ok"]
    report = audited(Subset(cases.MissingFile(), range(20)), "raises")
    assert report["raises"].samples == (11,)


def test_an_iterables_transform_is_told_from_it() -> None:
    answer = audited(cases.TransformedStream(), "epochs", samples=64)["epochs"]
    assert (answer.verdict, answer.at_fault) == ("fault", "transform")


def test_a_sample_of_any_class() -> None:
    report = audited(cases.OwnSamples(), "order", "workers", "at-fault", "not-finite")
    assert [one.verdict for one in report.answers] == ["ok", "ok", "fault", "ok"]
    assert report["not-finite"].samples == (4,)
    assert report["not-finite"].evidence == ("sample 4: .image NaN",)


def test_samples_that_are_read_again_and_raise() -> None:
    answer = audited(cases.AlwaysRaises(), "raises", "duplicates", "order")
    assert [one.verdict for one in answer.answers] == ["not measured", "not measured", "fault"]


def test_an_augmented_dataset_passes() -> None:
    photographs = AugmentedDataset(cases.IMAGES, ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip()]), seed=42)
    report = audited(photographs, *(name for name in QUESTIONS if name != "memory"))
    bad = {answer.question: answer.summary for answer in (*report.faults, *report.warnings)}
    assert not bad


INITS = {
    "a method": cases.seed_by_method,
    "an attribute": cases.seed_by_attribute,
    "a state": cases.seed_by_state,
}


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("name", INITS)
def test_a_worker_init_fn_gets_the_users_own_dataset(name: str, start: str) -> None:
    loading = DataLoader(cases.Reseeded(), num_workers=2, worker_init_fn=INITS[name])
    report = audited(loading, "ends", "duplicates", "epochs", start_methods=(start,))
    assert {answer.verdict for answer in report.answers} == {"ok"}, report


def test_a_worker_init_fn_may_divide_a_stream() -> None:
    loading = DataLoader(cases.Span(0, 64), num_workers=2, worker_init_fn=cases.divide)
    report = audited(loading, "ends", "duplicates", "epochs", samples=64)
    assert {answer.verdict for answer in report.answers} == {"ok"}, report


@pytest.mark.parametrize(("persistent", "verdict"), [(True, "fault"), (False, "ok")])
def test_an_epoch_that_is_set_from_outside_does_not_reach_workers_that_persist(
    persistent: bool, verdict: str
) -> None:
    loading = DataLoader(cases.SetFromOutside(), num_workers=2, persistent_workers=persistent)
    answer = audited(loading, "epochs")["epochs"]
    assert (answer.verdict, "SetFromOutside.epoch" in answer.summary) == (verdict, persistent), answer


def test_paths_that_are_kept_are_no_lost_state() -> None:
    assert audited(cases.KeepsPaths(), "lost-state")["lost-state"].verdict == "ok"


def test_the_callers_object_and_generators_stay_as_they_were() -> None:
    dataset = cases.InPlace()
    np.random.seed(5)
    state = np.random.get_state()[1].tobytes()  # type: ignore[index,union-attr]
    audited(dataset, "in-place", "duplicates")
    assert (dataset.images == cases.IMAGES).all()
    assert np.random.get_state()[1].tobytes() == state  # type: ignore[index,union-attr]
