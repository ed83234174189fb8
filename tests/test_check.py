"""`seedsafe check`: one page that answers whether a project is affected."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from programs import ROOT

from seedsafe.__main__ import main
from seedsafe_check.affected import facts, installed, table

BAD = """\
import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return 16

    def __getitem__(self, index):
        if not -16 <= index < 16:
            raise IndexError(index)
        return index + self.rng.normal(size=4) + self.rng.random()
"""
WEAK = BAD.replace("self.rng.normal(size=4) + self.rng.random()", "np.random.rand(4)")
GOOD = BAD.replace("self.rng.normal(size=4) + self.rng.random()", "0.5")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("code", "options", "ended", "text"),
    [
        (BAD, [], 1, "affected: 1 cause in the code"),
        (WEAK, [], 0, "nothing repeats; results depend on workers"),
        (WEAK, ["--strict"], 1, "nothing repeats"),
        (GOOD, ["--strict"], 0, "not affected, as far as the code shows"),
        ("def broken(:", [], 2, "1 file cannot be parsed"),
    ],
)
def test_the_page_of_a_folder(
    project: Path,
    code: str,
    options: list[str],
    ended: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (project / "data.py").write_text(code)
    assert main(["check", ".", *options]) == ended
    page = capsys.readouterr().out
    assert text in page
    assert "torch 2" in page
    assert "What to do first" in page


def test_a_cause_is_named_once_with_its_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "data.py").write_text(BAD)
    line = BAD.splitlines().index("        return index + self.rng.normal(size=4) + self.rng.random()") + 1
    assert main(["check", "data.py"]) == 1
    page = " ".join(capsys.readouterr().out.split())
    assert "SSF002 stored-generator-in-worker" in page
    assert f"data.py:{line}: self.rng" in page
    assert f"1. data.py:{line}: from seedsafe_torch import AugmentedDataset, loader; batches = " in page


@pytest.mark.fork
def test_a_dataset_is_audited(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "noisy_of_check.py").write_text(BAD)
    assert main(["check", "noisy_of_check.py:Noisy", ".", "--json"]) == 1
    page = json.loads(capsys.readouterr().out)
    assert page["affected"]
    assert page["verdict"] == "affected: 1 cause in the code and 1 fault in the audit"
    assert [cause["code"] for cause in page["causes"] if cause["severity"] == "error"] == ["SSF002"]
    line = page["causes"][0]["places"][0]["line"]
    (fault,) = [one for one in page["audit"]["answers"] if one["verdict"] == "fault" and not one["part_of"]]
    assert fault["places"] == [f"noisy_of_check.py:{line}"]
    assert page["first"][0].startswith(f"noisy_of_check.py:{line}: ")


@pytest.mark.fork
def test_an_audit_alone_can_find_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "hidden_of_check.py").write_text(
        BAD.replace("self.rng = np", "setattr(self, 'r' + 'ng', np")
        .replace("rng(0)", "rng(0))")
        .replace("self.rng", "getattr(self, 'r' + 'ng')")
    )
    assert main(["check", "hidden_of_check.py:Noisy", "pyproject.toml"]) == 1
    assert "affected: 1 fault in the audit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (["nowhere"], "no file or folder nowhere"),
        (["nowhere.py:dataset"], "no file nowhere.py"),
        ([".", "."], "expected one PATH"),
        (["--fast"], "unrecognized arguments"),
    ],
)
def test_wrong_calls(project: Path, call: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *call]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.fork  # and such a name
def test_a_path_with_a_colon_is_a_path(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a:b").mkdir()
    (project / "a:b" / "data.py").write_text(BAD)
    assert main(["check", "a:b"]) == 1
    assert "a:b/data.py" in capsys.readouterr().out


VERSIONS = [
    ("torch", "1.8.1", "affected"),
    ("torch", "1.9.0", "partly"),
    ("torch", "1.10.0+cu113", "partly"),
    ("torch", "2.13.0+cpu", "partly"),
    ("keras", "2.15.0", "affected"),
    ("albumentations", "1.3.1", "unknown"),
    ("albumentations", "2.0.8", "affected"),
]


@pytest.mark.parametrize(("name", "number", "state"), VERSIONS)
def test_what_a_version_means(name: str, number: str, state: str) -> None:
    def find(asked: str) -> str:
        if asked != name:
            raise PackageNotFoundError(asked)
        return number

    (library,) = installed(find)
    assert (library.name, library.version, library.state) == (name, number, state)


def test_every_library_has_an_answer_for_every_version() -> None:
    names = {entry["name"] for entry in facts()["library"]}
    for number in ("0.1", "1.8", "1.9", "2.0.8", "99"):
        assert {one.name for one in installed(lambda _, number=number: number)} == names


def test_the_table_of_the_documentation_is_the_files() -> None:
    page = (ROOT / "docs" / "explanation" / "the-bug.md").read_text(encoding="utf-8")
    assert table() in page


def test_a_project_that_cannot_be_read_is_not_called_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("def (\n")
    assert main(["check", str(tmp_path)]) == 2
    assert "not known: no Python file there could be read" in capsys.readouterr().out


def test_a_module_that_leaves_python_is_a_wrong_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["check", "leaves:dataset"]) == 2
    assert "cannot be imported: SystemExit: 3" in capsys.readouterr().err
