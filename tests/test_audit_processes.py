"""What an audit does with workers that hang or die, and what it leaves behind: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import audit_cases as cases
import pytest
from programs import environment, python

import seedsafe as ss
from seedsafe_audit import Report
from seedsafe_audit.supervise import at_once, supervise


def audited(dataset: Any, *questions: str, **options: Any) -> Report:
    return ss.audit(
        dataset, questions=questions, samples=32, workers=(0, 2), start_methods=("fork",), **options
    )


def running(word: str) -> set[int]:
    """Return the processes whose command line or working note has this word."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if word in line and state != "Z":
                found.add(int(folder.name))
    return found


def gone(word: str, but: frozenset[int] | set[int] = frozenset()) -> bool:
    """Wait until none but these runs: a killed process takes a moment to end."""
    end = time.monotonic() + 30
    while running(word) - but and time.monotonic() < end:
        pass
    return not running(word) - but


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_a_hanging_worker_is_reported_with_its_stack() -> None:
    before = children()
    report = audited(cases.HangsInWorkers(), "ends", "duplicates", timeout=6)
    answer = report["ends"]
    assert answer.verdict == "fault"
    assert answer.samples == (3,)
    assert "reading index 3, worker" in answer.evidence[0]
    assert "waits_for_ever" in answer.evidence[0]
    assert report["duplicates"].verdict == "not measured"
    assert children() == before


def test_no_semaphore_and_no_file_is_left(tmp_path: Path) -> None:
    script = (
        "import os, tempfile, multiprocessing.synchronize as synchronize\n"
        "import audit_cases as cases, seedsafe as ss\n"
        "if __name__ == '__main__':\n"
        "    mark = f'/ssf{os.getpid()}'\n"
        "    names = tempfile._RandomNameSequence()\n"
        "    synchronize.SemLock._make_name = staticmethod(lambda: mark + next(names))\n"
        "    options = dict(samples=8, workers=(0, 2), epochs=1, questions=['ends'])\n"
        "    ss.audit(cases.Base(), start_methods=('fork', 'spawn'), **options)\n"
        "    options['samples'] = 32\n"
        "    ss.audit(cases.HangsInWorkers(), start_methods=('spawn',), timeout=10, **options)\n"
        "    print([name for name in os.listdir('/dev/shm') if mark[1:] in name])\n"
    )
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "files").mkdir()
    done = python(tmp_path / "script.py", env=environment(TMPDIR=str(tmp_path / "files")))
    assert done.stdout == "[]\n"
    assert list((tmp_path / "files").iterdir()) == []


def test_a_worker_that_dies_is_reported() -> None:
    answer = audited(cases.DiesInWorkers(), "ends")["ends"]
    assert answer.verdict == "fault"
    assert "2 workers, fork" in answer.evidence[0]
    assert "exited unexpectedly" in answer.evidence[0]


def test_processes_that_the_dataset_starts_are_ended() -> None:
    before = running("sleep 600")
    audited(cases.IgnoresTermination(), "raises")
    assert gone("sleep 600", but=before)


def test_an_audit_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    script = "import sys, audit_cases, seedsafe.__main__ as m; sys.exit(m.main(sys.argv[1:]))"
    target = ["audit", "audit_cases:HangsInWorkers", "--samples", "32", "--start-methods", "fork"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *target, "--select", "duplicates", "--timeout", "300"],
        env=environment(),
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while (
        len(running("audit_cases:HangsInWorkers")) < 4 and time.monotonic() < end
    ):  # it, its run and two workers
        pass
    assert len(running("audit_cases:HangsInWorkers")) == 4
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 130
    assert gone("audit_cases:HangsInWorkers")


def test_what_a_run_gave_before_it_stood_still_is_kept() -> None:
    def work(folder: str) -> Iterator[Any]:
        yield 1
        cases.waits_for_ever()

    (outcome,) = at_once(supervise(work, timeout=0.5, beat=lambda: None))
    assert outcome.items == [1]
    assert "waits_for_ever" in outcome.hangs[0].stack


def test_an_exception_in_a_run_is_told() -> None:
    def work(folder: str) -> Iterator[Any]:
        yield 1
        raise KeyError("lost")

    (outcome,) = at_once(supervise(work, timeout=30, beat=lambda: None))
    assert (outcome.items, outcome.error) == ([1], "KeyError: 'lost'")


def test_a_crash_in_a_run_is_told() -> None:
    def work(folder: str) -> Iterator[Any]:
        yield 1
        os.kill(os.getpid(), signal.SIGSEGV)

    (outcome,) = at_once(supervise(work, timeout=30, beat=lambda: None))
    assert (outcome.items, outcome.error) == ([1], "the process died: SIGSEGV")


def test_an_early_end_is_told_whatever_the_exit_code() -> None:
    def work(folder: str) -> Iterator[Any]:
        yield 1
        os._exit(0)

    (outcome,) = at_once(supervise(work, timeout=30, beat=lambda: None))
    assert (outcome.items, outcome.error) == ([1], "the process died: exit code 0")


@pytest.mark.parametrize("workers", [(0,), (0, 2)])
def test_a_dataset_that_ends_the_process_has_no_clean_bill(workers: tuple[int, ...]) -> None:
    report = ss.audit(cases.EndsTheProcess(), samples=8, workers=workers, start_methods=("fork",), epochs=1)
    assert report["ends"].verdict == "fault"
    assert report.exit_code() == 1
    for question in ("raises", "length", "none"):
        assert report[question].verdict == "not measured", question


def test_a_script_without_its_guard_is_told(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch, audit_cases as cases, seedsafe as ss\n"
        "options = dict(samples=8, workers=(0, 2), start_methods=('spawn',), questions=['ends'], timeout=60, epochs=1)\n"
        "print(ss.audit(cases.Base(), **options)['ends'].evidence)\n"
    )
    done = python(script)
    assert "2 workers, spawn" in done.stdout
