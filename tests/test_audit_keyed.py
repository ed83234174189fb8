"""What a second look at one key shows: draws that are kept, hash order, rare entropy, clocks, records that stand in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import audit_cases
import audit_keyed_cases as cases
import pytest

import seedsafe as ss
from seedsafe_audit import Report, terminal
from seedsafe_audit.report import Verdict

CASES = Path(cases.__file__)
RANDOM = ["duplicates", "epochs", "reproducible", "workers", "order", "batch-size", "kept-draws"]
RANDOM += ["global-state", "global-draws", "lost-state"]


def audited(dataset: Any, *questions: str, **options: Any) -> Report:
    settings: dict[str, Any] = {"samples": 48, "start_methods": ("fork",), "workers": (0, 2), "timeout": 60}
    return ss.audit(dataset, questions=questions, **{**settings, **options})


def line(text: str, file: Path = CASES) -> str:
    """Return the place of the first line of the cases that holds a text."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return f"{file.name}:{next(number for number, one in enumerate(lines, 1) if text in one)}"


KEPT: dict[str, Callable[[], Any]] = {
    "a cache": lambda: cases.keyed(cases.Cached()),
    "lru_cache": lambda: cases.keyed(cases.CachedByFunction()),
    "a cache on the disk": lambda: cases.keyed(cases.CachedOnDisk()),
    "what was drawn": lambda: cases.keyed(cases.CachedCorner()),
    "without keys": cases.PlainCache,
    "all at once": lambda: cases.keyed(cases.AllAtOnce()),
    "a generator": lambda: cases.keyed(cases.KeptGenerator()),
    "cached_property": lambda: cases.keyed(cases.KeptInTheClass()),
    "a key": lambda: cases.keyed(cases.KeptKey()),
    **{f"{name}, under noise": partial(cases.NoisyPlace, keep) for name, keep in cases.KEEPING.items()},
}


@pytest.mark.parametrize("name", KEPT)
def test_draws_that_are_kept_are_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_CASES", str(tmp_path))
    answer = audited(KEPT[name](), "kept-draws", workers=(0,))["kept-draws"]
    assert (answer.verdict, "it keeps what one reading drew" in answer.summary) == ("fault", True), answer
    assert answer.samples


@pytest.mark.parametrize("base", [cases.CachedBefore, cases.ClosedLate])
def test_what_may_be_kept_is_no_fault(base: type) -> None:
    assert audited(cases.keyed(base()), "kept-draws", workers=(0,))["kept-draws"].verdict == "ok"


def test_the_line_that_is_cached_is_named() -> None:
    (answer,) = audited(cases.keyed(cases.Cached()), "kept-draws", workers=(0,)).answers
    assert answer.places[0].endswith(line("self.cache[index] = PIPELINE"))


@pytest.mark.parametrize("case", [cases.SeededByHash, cases.SplitByHash, cases.SetOrder, cases.SeededByCrc])
def test_what_hash_decides_differs_in_spawned_workers(case: type) -> None:
    answer = audited(case(), "workers", samples=32, workers=(0, 1), start_methods=("spawn",))["workers"]
    assert answer.verdict == ("ok" if case is cases.SeededByCrc else "warning"), answer
    if case is cases.SeededByHash:
        assert "hash() differ between spawned workers" in answer.summary
        assert answer.places[0].endswith(line("default_rng(hash(NAMES"))


@pytest.mark.parametrize("case", [cases.SometimesEntropy, cases.SometimesClock])
def test_rare_entropy_is_found(case: type) -> None:
    report = audited(case(), "reproducible", "order", samples=256, workers=(0,))
    assert report["reproducible"].verdict == "warning", report["reproducible"]
    assert report["order"].verdict == "not measured"


def test_what_is_promised_is_said_in_numbers() -> None:
    answer = audited(cases.SeededByCrc(), "reproducible", workers=(0,))["reproducible"]
    looks = 2 * (4 * 48 + 32 + 48)  # keys read twice: four a sample, the repeated readings, and each sample
    assert f"one in 200 with {1 - 0.995**looks:.1%} and one in 1,000 with {1 - 0.999**looks:.1%}" in (
        answer.summary
    )


@pytest.mark.parametrize(
    ("make", "kept"),
    [
        (lambda: cases.keyed(cases.MapDataset(), bridge=True), "_fallback_candidates"),
        (lambda: cases.keyed(cases.LastGood(), bridge=True), "base.last"),
        (lambda: cases.keyed(cases.Base(), augment=ss.Compose([cases.Counting()])), ""),
    ],
    ids=["detectron2", "the last good record", "a counter in apply"],
)
@pytest.mark.filterwarnings("ignore:.*reads another record")
def test_samples_that_depend_on_earlier_ones(make: Callable[[], Any], kept: str) -> None:
    report = audited(make(), "workers", "order")
    assert (report["order"].verdict, report["workers"].verdict) == ("warning", "warning"), report
    assert kept in " ".join(report["order"].evidence)
    assert len(report.warnings) == 1


CLOCKS: dict[type, Verdict] = {
    cases.ClockSeeded: "fault",
    cases.ClockSeedsNumpy: "fault",
    cases.ClockSeedsPython: "fault",
    cases.ClockSeedsTorch: "fault",
    cases.ClockOfMilliseconds: "fault",
    cases.ClockPlusIndex: "fault",
    cases.OnceForEachRun: "not measured",
    cases.FineClock: "ok",
}


@pytest.mark.parametrize("case", CLOCKS)
def test_a_clocks_seeds_are_shared(case: type) -> None:
    report = audited(case(), "duplicates", "reproducible", "global-draws")
    assert report["duplicates"].verdict == CLOCKS[case], report["duplicates"]
    assert report["reproducible"].verdict == "warning"
    assert "constant" not in report["global-draws"].summary
    if case is not cases.FineClock:
        assert any(place.endswith(line("int(time.time() * self.ticks)")) for place in _places(report)) or any(
            place.endswith(line("int(time.time() * 1e3)")) for place in _places(report)
        )


def _places(report: Report) -> list[str]:
    return [place for answer in report.answers for place in answer.places]


LINES = {
    audit_cases.GlobalNumpy: (
        "np.random.randint(0, 50, self.images[index].shape).astype(np.uint8), index",
        0,
        1,
    ),
    audit_cases.StoredGenerator: (
        "self.rng.integers(0, 50, self.images[index].shape, dtype=np.uint8), index",
        1,
        1,
    ),
    audit_cases.Unseeded: ("np.random.default_rng().integers", 0, 1),
}


@pytest.mark.parametrize("case", LINES)
def test_one_cause_is_told_once_with_its_line(case: type) -> None:
    text, faults, warnings = LINES[case]
    report = audited(case(), *RANDOM)
    assert (len(report.faults), len(report.warnings)) == (faults, warnings)
    for answer in (*report.faults, *report.warnings):
        assert any(place.endswith(line(text, Path(audit_cases.__file__))) for place in answer.places), answer


def test_the_line_in_a_transform_is_named() -> None:
    report = audited(audit_cases.WithTransform(audit_cases.Noise()), *RANDOM)
    place = line("return image + self.rng.integers", Path(audit_cases.__file__))
    assert report["duplicates"].places[0].endswith(place)
    assert report["duplicates"].at_fault == "transform"


def test_the_line_in_a_transform_with_a_hook_is_named() -> None:
    report = audited(audit_cases.WithTransform(cases.Reseeded()), "duplicates", "order")
    assert report["duplicates"].places[0].endswith(line("return image + self.rng.integers"))


def test_other_faults_stay_apart() -> None:
    report = audited(audit_cases.Counts(), *RANDOM, "in-place")
    assert [answer.question for answer in report.warnings] == ["lost-state"]


def test_the_terminal_tells_a_cause_once_and_the_report_is_json() -> None:
    report = audited(audit_cases.GlobalNumpy(), *RANDOM)
    file = io.StringIO()
    terminal.write(report, file)
    text = " ".join(file.getvalue().split())
    assert "the same cause shows in: workers, order, batch-size, global-draws" in text
    assert "0 faults, 1 warning" in text
    assert json.loads(report.to_json())["subject"] == report.subject


def test_start_methods_after_the_first_are_tried_with_the_least_workers() -> None:
    report = audited(
        audit_cases.Base(), "duplicates", start_methods=("fork", "spawn"), workers=(0, 2, 4), epochs=2
    )
    assert [run["name"] for run in report.runs if run["name"][0].isdigit()] == [
        "2 workers, fork",
        "4 workers, fork",
        "2 workers, spawn",
    ]


def test_a_slow_dataset_does_not_wait_for_its_memory() -> None:
    answer = audited(audit_cases.OpenCVGuarded(), "memory", memory_seconds=0.1, workers=(0,))["memory"]
    assert (answer.verdict, "--memory-seconds" in answer.summary) == ("not measured", True)
