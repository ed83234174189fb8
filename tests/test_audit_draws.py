"""What the audit finds and leaves alone, of kinds in public code; SEEDSAFE_TEST_LONG=1 tries each kind under each noise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import audit_noise_cases as noisy
import audit_right_cases as right
import pytest
from programs import python

import seedsafe as ss
from seedsafe_audit import Report
from seedsafe_audit.options import SLOW
from seedsafe_audit.questions import QUESTIONS as ALL

LONG = bool(os.environ.get("SEEDSAFE_TEST_LONG"))
LINES = Path(noisy.__file__).read_text(encoding="utf-8").splitlines()


def audited(dataset: Any, *questions: str, samples: int = 32) -> Report:
    return ss.audit(
        dataset, samples=samples, workers=(0, 2), start_methods=("fork",), questions=questions, timeout=60
    )


NOISES = list(noisy.NOISES)
PAIRS = [(kind, noise) for kind in noisy.KINDS for noise in NOISES if kind != "OpenCV" or noise != "opencv"]
if not LONG:  # each kind, under one noise after another
    PAIRS = [(kind, NOISES[number % 3]) for number, kind in enumerate(noisy.KINDS)]


@pytest.mark.parametrize(("kind", "noise"), PAIRS)
def test_decisions_that_come_again_are_found_under_noise(kind: str, noise: str) -> None:
    _, question, line, options = noisy.KINDS[kind]
    if noise == "opencv" and (options or {}).get("worker_init_fn"):
        pytest.skip("the loader's own function stands in the place of the one that makes this noise fresh")
    report = audited(noisy.make(kind, noise), "duplicates", "epochs")
    answer = report[question]
    assert answer.verdict == "fault", report
    numbers = [int(place.rpartition(":")[2]) for place in answer.places]
    assert any(line in LINES[number - 1] for number in numbers), answer


QUESTIONS = ["ends", "duplicates", "epochs", "collate", "kept-draws", "global-draws", "in-place"]


@pytest.mark.parametrize("name", list(right.RIGHT)[:: 1 if LONG else 4])
def test_a_right_dataset_has_no_fault(name: str) -> None:
    questions = QUESTIONS if LONG else QUESTIONS[:3]
    report = audited(right.RIGHT[name](), *questions, samples=16)
    assert not report.faults, report.faults


def test_runs_do_not_share_an_epoch() -> None:
    usual = [name for name in ALL if name not in SLOW]
    report = audited(right.EpochInSharedMemory(), *usual)
    assert [*report.faults, *report.warnings] == []


def test_a_cache_is_no_lost_state() -> None:
    answer = audited(right.RIGHT["transforms behind a cache"](), "lost-state", samples=16)["lost-state"]
    assert "reading changes .transforms, but" in answer.summary


def test_a_generator_that_a_bridge_keys_is_no_lost_state() -> None:
    keyed = right.RIGHT["keyed by a bridge"]()
    assert audited(keyed, "lost-state", samples=16)["lost-state"].verdict == "ok"
    assert audited(keyed.reader.base, "lost-state", samples=16)["lost-state"].verdict == "warning"


def test_records_of_a_stream_are_compared_by_id() -> None:
    answer = audited(right.CroppedByWorker(), "workers")["workers"]
    assert (answer.verdict, "told by its ['id']" in answer.summary) == ("warning", True), answer
    assert any("3 workers" in line and "differ in ['wave']" in line for line in answer.evidence)
    assert audited(right.Shuffled(), "workers")["workers"].verdict == "ok"


def test_a_generator_that_is_put_back_is_told_for_threads_without_a_fault() -> None:
    answer = audited(right.PutsBackTorchs(), "threads", samples=64)["threads"]
    assert answer.verdict != "fault", answer


SUMS = """\
import torch
import seedsafe as ss


class Sums(torch.utils.data.Dataset):
    numbers = torch.randn(2**20, generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return 16

    def __getitem__(self, index):
        return self.numbers @ self.numbers.roll(index), self.numbers.roll(index).sum()


torch.set_num_threads(1)
answer = ss.audit(Sums(), samples=16, workers=(0, 2), start_methods=("fork",), questions=["workers"])["workers"]
print(answer.verdict, answer.summary)
"""


def test_floats_that_follow_torchs_threads_are_told() -> None:
    assert (
        "warning the last bits of float numbers follow the number of torch's threads"
        in python("-c", SUMS).stdout
    )
