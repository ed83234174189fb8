"""The audit's command line, its reports, and what it says to wrong input."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import audit_cases as cases
import pytest
from programs import ROOT, python

import seedsafe as ss
from seedsafe.__main__ import main
from seedsafe_audit import Answer, Report, terminal
from seedsafe_audit.questions import QUESTIONS

QUICK = ["--samples", "16", "--workers", "0,2", "--start-methods", "fork"]


def run(*arguments: str) -> int:
    return main(["audit", *arguments, *QUICK])


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("audit_cases", "expected MODULE:NAME, got 'audit_cases': name both"),
        ("audit_cases:", "expected MODULE:NAME, got 'audit_cases:'"),
        ("no_such_module:x", "'no_such_module' cannot be imported: ModuleNotFoundError"),
        ("no_such.py:x", "no file no_such.py: check the path"),
        ("audit_cases:nothing", "'audit_cases' has no 'nothing'"),
        ("audit_cases:needs_argument", "was called without arguments and raised TypeError"),
        ("audit_cases:broken", "dataset must have __getitem__ and __len__, or __iter__, got int"),
        ("audit_cases:empty", "dataset must have at least one sample, got length 0"),
    ],
)
def test_wrong_targets(target: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(target) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (["--samples", "7"], "samples must be"),
        (["--epochs", "0"], "epochs must be"),
        (["--timeout", "0"], "timeout must be more than 0 seconds, got 0.0"),
        (["--select", "everything"], "questions must be among ends, duplicates"),
        (["--select", "pools,order"], "It is no question any more: count a worker's threads with"),
        (["--select", "outliers"], "compare the ranges of samples by seedsafe.channel_stats"),
        (["--select", "forms"], "compare the dtype and the shape of samples"),
        (["--select", "outside"], "test that dataset[len(dataset)] raises IndexError"),
        (["--select", "hash-order"], "ask workers, with a spawned start method"),
        (["--format", "html"], "invalid choice: 'html' (choose from"),
        (["--start-methods", "teleport"], "start_methods must be among"),
    ],
)
def test_wrong_options(option: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "audit_cases:good", *option]) == 2
    assert text in capsys.readouterr().err


def test_unknown_options_and_no_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "x:y", "--fast"]) == 2
    assert main(["audit"]) == 2
    assert "pass the dataset as MODULE:OBJECT" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "question", "code"),
    [
        ("audit_cases:good", "duplicates", 0),
        ("audit_cases:make", "duplicates", 0),
        ("audit_cases:StoredGenerator", "duplicates", 1),
        ("audit_cases:noisy", "order", 0),
    ],
)
def test_exit_codes(target: str, question: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(target, "--select", question) == code


def test_progress_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("audit_cases:good", "--select", "none") == 0
    assert "no workers" in capsys.readouterr().err


def test_strict_counts_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit_cases:noisy", "--select", "order", "--strict") == 1


def test_the_questions_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--questions"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(QUESTIONS)


def test_a_file_and_a_class_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "my_data.py").write_text(
        "class Numbers:\n"
        "    def __len__(self): return 20\n"
        "    def __getitem__(self, index): return [0.5 * index] * 3\n"
    )
    select = "--select raises,duplicates,pickle"
    for target in ("my_data:Numbers", "./my_data.py:Numbers"):
        done = python(
            "-m",
            *f"seedsafe audit {target} {select} --workers 0,2 --epochs 1 --format json".split(),
            cwd=tmp_path,
        )
        report = json.loads(done.stdout)
        assert report["settings"]["loader"] == "processes"
        assert set(report["versions"]) == {"Python", "NumPy"}  # no framework was imported


@pytest.fixture(scope="module")
def noisy() -> Report:
    return ss.audit(
        cases.StoredGenerator(),
        samples=32,
        workers=(0, 2),
        start_methods=("fork",),
        questions=["duplicates", "order", "none", "memory"],
        memory_reads=10,
    )


def test_a_report_goes_through_json(noisy: Report) -> None:
    assert json.loads(noisy.to_json()) == json.loads(json.dumps(noisy.to_dict()))
    assert noisy.to_dict()["version"] == 1


def test_a_report_answers_by_name(noisy: Report) -> None:
    assert noisy["order"].verdict == "warning"
    with pytest.raises(KeyError, match="no answer to 'threads': this audit asked duplicates, order"):
        noisy["threads"]
    assert (noisy.exit_code(), noisy.exit_code(strict=True)) == (1, 1)


def test_a_wrong_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="verdict must be one of"):
        Answer("order", "?", "perhaps", "")  # type: ignore[arg-type]


def test_the_terminal_shows_faults_with_evidence_and_all_verdicts(noisy: Report) -> None:
    file = io.StringIO()
    terminal.write(noisy, file)
    text = file.getvalue()
    assert "audit_cases.StoredGenerator, torch dataset of 32" in text
    assert "2 workers, fork, epoch 0: 32 of 32 readings equal worker 0's" in " ".join(text.split())
    for answer in noisy.answers:
        assert answer.question in text
    assert "1 fault, 1 warning; " in text


def test_quick_reads_less_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    for options, samples in ((["--quick"], 64), (["--quick", "--samples", "16"], 16)):
        out = tmp_path / "report.json"
        call = ["audit", "audit_cases:good", *options, "--select", "none", "--format", "json", "-o", str(out)]
        assert main(call) == 0
        settings = json.loads(out.read_text())["settings"]
        assert (settings["samples"], settings["workers"]) == (samples, [0, 2])
        assert settings["start_methods"] == ["fork"]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_that_show_them(noisy: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    shown, plain = Terminal(), Terminal()
    terminal.write(noisy, shown)
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.write(noisy, plain)
    assert "\x1b[1;31mfault duplicates" in shown.getvalue()
    assert re.sub(r"\x1b\[[0-9;]+m", "", shown.getvalue()) == plain.getvalue()
    assert max(map(len, plain.getvalue().splitlines())) <= 60


def test_the_terminal_gets_no_orders_from_the_dataset() -> None:
    file = io.StringIO()
    answer = Answer("raises", "t", "fault", "\x1b[2Jgone", ("\x1b]0;title\x07",), (), "dataset")
    terminal.write(Report("x", (answer,)), file)
    assert "\x1b" not in file.getvalue()
    assert "\x07" not in file.getvalue()


def test_every_question_is_on_the_reference_page() -> None:
    text = (ROOT / "docs" / "reference" / "audit.md").read_text(encoding="utf-8")
    sections = [part.splitlines() for part in text.split("\n## ")[1:-1]]
    assert [(lines[0], lines[2]) for lines in sections] == [
        (name, f"**{question.title}**") for name, question in QUESTIONS.items()
    ]
