from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from programs import ROOT, environment, python

import seedsafe as ss
from seedsafe.__main__ import TOOLS, main
from seedsafe_lint import options, output


@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_help_loads_nothing_heavy(tool: str) -> None:
    code = (
        "import sys; before = set(sys.modules); from seedsafe.__main__ import main; code = main(sys.argv[1:]);"
        "loaded = sys.modules.keys() - before; print(code, len(loaded), *loaded & {'numpy', 'multiprocessing'})"
    )
    call = [sys.executable, "-c", code, *([tool] if tool else []), "--help"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    *shown, last = done.stdout.splitlines()
    assert f"usage: seedsafe {tool or 'TOOL'}" in shown[0]
    ended, modules, *heavy = last.split()
    assert (ended, heavy) == ("0", [])
    assert int(modules) < 110


def test_what_follows_two_dashes_is_no_call_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--", "-h"]) == 2
    assert "-h" in capsys.readouterr().err


def test_the_parser_knows_every_form_of_a_report() -> None:
    assert list(options.FORMATS) == sorted(output.FORMATS)


@pytest.mark.fork  # and a shell that closes outputs
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(
    ("call", "code"),
    [("--help", 0), ("lint seedsafe/keys", 0), ("stats tests/golden", 1), ("audit --help", 0)],
)
def test_a_closed_output_is_silence_and_the_right_exit_code(call: str, code: int, closed: str) -> None:
    shell = f"{sys.executable} -m seedsafe {call} {closed}"
    done = subprocess.run(shell, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["fly"]) == 2
    assert "no tool 'fly'" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"seedsafe {version('seedsafe')}\n"


@pytest.mark.parametrize(
    "call",
    [
        ["lint", "nowhere.py"],
        ["audit", "nowhere.py:dataset"],
        ["check", "nowhere"],
        ["check", "nowhere.py:dataset"],
        ["stats", "nowhere"],
        ["index", "nowhere"],
        ["stats", ".", "--json", "nowhere/x.json"],
    ],
    ids=" ".join,
)
def test_a_missing_path_has_one_exit_code(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) == 2
    assert "nowhere" in capsys.readouterr().err


def test_an_interrupted_tool_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("seedsafe.data.folder.command.main", interrupted)
    assert main(["index", "."]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.linux
def test_names_that_are_no_unicode_are_printed(tmp_path: Path) -> None:
    os.symlink(b"nowhere", os.fsencode(tmp_path) + b"/\xff.png")
    call = ("-m", "seedsafe", "index", tmp_path, "--flat")
    done = python(*call, env=environment(PYTHONIOENCODING="utf-8:strict"), text=False, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"\udcff.png: No such file" in done.stdout


def test_on_windows_a_reader_that_goes_away_is_an_invalid_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Gone(io.TextIOWrapper):
        def flush(self) -> None:
            if not self.closed:
                raise OSError(errno.EINVAL, "Invalid argument")

    with open(tmp_path / "out", "wb") as file:
        monkeypatch.setattr(sys, "stdout", Gone(file))
        monkeypatch.setattr(sys, "platform", "win32")
        assert main(["--version"]) == 141
    assert capsys.readouterr().err == ""


@pytest.mark.fork  # and head
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(2000):  # more lines of problems than a pipe holds
        (tmp_path / f"{number:0100}.png").symlink_to("nowhere")
    code = f"{sys.executable} -m seedsafe index {tmp_path} --flat --json | head -1"
    done = subprocess.run(code, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""


LINTED = """\
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return {draws}
"""


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with something fine, something with warnings and something with errors for each tool."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, draws in (("fine", "index"), ("warned", "np.random.rand()"), ("wrong", "self.rng.normal()")):
        (tmp_path / f"{name}.py").write_text(LINTED.format(draws=draws))
        (tmp_path / name).mkdir()
        cv2.imwrite(str(tmp_path / name / "a.png"), np.zeros((40, 40, 3), np.uint8))
    (tmp_path / "wrong" / "b.png").write_bytes(b"\x89PNG")
    (tmp_path / "wrong" / "c.png").symlink_to("nowhere")
    (tmp_path / "p.json").write_text(ss.Compose([ss.RandomCrop(32)]).to_json())
    (tmp_path / "big.json").write_text(ss.Compose([ss.RandomCrop(64)]).to_json())
    return tmp_path


AUDIT = ["--samples", "16", "--workers", "0,2", "--start-methods", "fork", "--select"]


def marked(calls: list[Any]) -> list[Any]:
    """Mark the calls that fork, alone or with their exit codes."""
    forking = [one for one in calls if "fork" in (one[0] if isinstance(one, tuple) else one)]
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)), marks=[pytest.mark.fork] * (one in forking)
        )
        for one in calls
    ]


EXITS = [  # the tool's call, and its code: 0 fine, 1 errors (with --strict anything), 2 a wrong call or something missing
    (["lint", "fine.py"], 0),
    (["lint", "warned.py"], 0),
    (["lint", "warned.py", "--strict"], 1),
    (["lint", "wrong.py"], 1),
    (["lint", "nowhere.py"], 2),
    (["lint", "--fast"], 2),
    (["check", "fine.py"], 0),
    (["check", "wrong.py"], 1),
    (["check", "nowhere.py"], 2),
    (["audit", "audit_cases:good", *AUDIT, "duplicates"], 0),
    (["audit", "audit_cases:noisy", *AUDIT, "order"], 0),
    (["audit", "audit_cases:noisy", *AUDIT, "order", "--strict"], 1),
    (["audit", "audit_cases:StoredGenerator", *AUDIT, "duplicates"], 1),
    (["audit", "nowhere.py:dataset"], 2),
    (["audit", "audit_cases:good", "--workers", "two"], 2),
    (["check", "warned.py"], 0),
    (["check", "warned.py", "--strict"], 1),
    (["check", "--jobs", "no"], 2),
    (["stats", "fine"], 0),
    (["stats", "fine", "--as-stored"], 2),
    (["stats", "wrong"], 1),
    (["stats", "nowhere"], 2),
    (["stats"], 2),
    (["stats", "fine", "--workers", "-1"], 2),
    (["stats", "fine", "--json", "wrong"], 2),
    (["stats", "fine", "--resume", "x"], 2),
    (["index", "fine", "--flat"], 0),
    (["index", "wrong", "--flat"], 1),
    (["index", "nowhere"], 2),
    (["index", "fine", "--threads", "2"], 2),
    (["index", "fine", "--cache", "wrong"], 2),
    (["index", "fine", "--cache", "fine/x"], 2),
    (["preview", "p.json", "--images", "fine"], 0),
    (["preview", "big.json", "--images", "fine"], 1),
    (["preview", "nowhere.json"], 2),
    (["preview", "p.json", "--images", "nowhere"], 2),
    (["explain", "p.json", "--size", "40x40"], 0),
    (["explain", "nowhere.json"], 2),
    (["explain"], 2),
    (["demo"], 0),
    (["demo", "now"], 2),
]


@pytest.mark.parametrize(
    ("call", "code"), marked(EXITS), ids=lambda one: " ".join(one) if isinstance(one, list) else ""
)
def test_exit_codes(call: list[str], code: int, things: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) == code
    told = capsys.readouterr().err
    assert "Traceback" not in told
    if code == 2:
        assert told


@pytest.mark.linux  # and its device that is always full
@pytest.mark.parametrize("full", ["> /dev/full", "--json /dev/full"])
def test_a_full_disk_is_told(full: str, things: Path) -> None:
    call = f"{sys.executable} -m seedsafe stats fine {full}"
    done = subprocess.run(call, shell=True, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr == "seedsafe stats: [Errno 28] No space left on device\n"


def test_images_in_no_folder_of_a_class_are_told(things: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "fine"]) == 0
    assert "--flat takes those" in capsys.readouterr().err
    assert main(["index", "."]) == 1
    assert "--flat" not in capsys.readouterr().err


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "audit"])
def test_what_a_tool_prints_is_readable_without_unicode(tool: str, things: Path) -> None:
    call = next(call for call, code in EXITS if call[0] == tool and code == 0)
    console = environment(PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    done = python("-m", "seedsafe", *call, env=console, text=False)
    assert b"\\u" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "call", [["audit", "audit_cases:good"], ["check", "audit_cases:good", "fine.py"]], ids=" ".join
)
def test_what_forks_says_where_it_can_run(
    call: list[str], things: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if hasattr(os, "fork"):
        monkeypatch.delattr(os, "fork")
    assert main(call) == 2
    sentence = "audit needs os.fork, which this system does not have: run it on Linux or macOS"
    assert capsys.readouterr().err == f"seedsafe {call[0]}: {sentence}\n"


@pytest.mark.fork  # and such a name
def test_a_target_may_be_in_a_path_with_a_colon(things: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (things / "C:").mkdir()
    (things / "C:" / "of_colon.py").write_text(
        "import seedsafe as ss\nA = ss.Compose([ss.HorizontalFlip()])\nDATA = [1] * 16\n"
    )
    assert main(["explain", "C:/of_colon.py:A", "--size", "8x8"]) == 0
    assert main(["audit", "C:/of_colon.py:DATA", *AUDIT, "duplicates", "--loader", "processes"]) == 0
    assert capsys.readouterr().err == ""


def test_every_tool_has_its_exit_codes() -> None:
    for tool in TOOLS:
        assert {0, 2} <= {code for call, code in EXITS if call[0] == tool}, tool


@pytest.mark.parametrize(
    "call",
    marked(
        [
            ["lint", "wrong.py", "--json"],
            ["check", "wrong.py", "--json"],
            ["audit", "audit_cases:good", *AUDIT, "duplicates", "--json"],
            ["stats", "fine", "--json"],
            ["stats", "--json", "fine"],
            ["index", "fine", "--json"],
            ["preview", "p.json", "--images", "fine", "--json"],
            ["explain", "p.json", "--size", "40x40", "--json"],
            ["demo", "--json"],
        ]
    ),
    ids=" ".join,
)
def test_every_tool_prints_json(call: list[str], things: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) in (0, 1)
    assert json.loads(capsys.readouterr().out)


def run(call: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a tool that can be interrupted, also where these tests run in the background of a shell, which ignores it."""
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL) if os.name == "posix" else None
    command = [sys.executable, "-m", "seedsafe", *call]
    return subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=heeds, **how)  # noqa: PLW1509


ONE_OF_EACH = {(call[0], code): call for call, code in EXITS if call[0] != "audit"}
"""A call of each tool for each exit code: one way of printing."""


@pytest.mark.parametrize(
    "call", [*ONE_OF_EACH.values(), ["--help"], ["lint", "--help"], ["audit", "--help"]], ids=" ".join
)
def test_no_tool_minds_a_reader_that_goes_away(call: list[str], things: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with run(call, stdout=writer, env=environment()) as process:
        os.close(writer)
        _, told = process.communicate(timeout=60)
    assert b"Traceback" not in told
    assert b"Exception ignored" not in told
    assert b"Broken pipe" not in told


BUSY = """
import os, signal, time
os.kill({whom}, signal.SIGINT)
time.sleep(60)
"""


@pytest.mark.fork  # and an interrupt that another process can send
@pytest.mark.parametrize(
    "call", [["audit", "busy:x"], ["preview", "busy:x"], ["explain", "busy:x"]], ids=" ".join
)
def test_a_tool_that_is_interrupted_says_so_and_no_more(call: list[str], things: Path) -> None:
    (things / "busy.py").write_text(BUSY.format(whom="os.getpid()"))
    with run(call, stdout=subprocess.PIPE, env=environment()) as process:
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert told.decode().strip().endswith("interrupted")


@pytest.mark.linux
def test_a_lint_in_processes_is_interrupted_as_a_whole(things: Path) -> None:
    for number in range(400):
        (things / f"m{number}.py").write_text("import numpy as np\n" + "x = np.random.rand()\n" * 400)
    with run(
        ["lint", ".", "--jobs", "2"], stdout=subprocess.PIPE, env=environment(), start_new_session=True
    ) as process:
        while process.poll() is None and len(children(process.pid)) < 2:
            pass
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.decode() == "interrupted\n"


def children(parent: int) -> list[str]:
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


@pytest.mark.parametrize("call", [call for call, _ in EXITS if call[0] != "audit"], ids=" ".join)
def test_rich_is_not_needed(call: list[str], things: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = next(code for one, code in EXITS if one == call)
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(call) == code
