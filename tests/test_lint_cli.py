"""The linter's command line: exit codes, settings, formats."""

import json
import sys
from pathlib import Path

import pytest

from seedsafe_lint.cli import main
from seedsafe_lint.rules import RULES

HAZARD = """\
import random
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return np.random.rand() + self.rng.normal() + random.random()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "data.py").write_text(HAZARD)
    (tmp_path / "clean.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def codes(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    return [item["code"] for item in json.loads(run(capsys, *argv, "--format", "json")[1])]


def test_exit_codes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "clean.py") == (0, "All checks passed!\n", "")
    assert run(capsys, "data.py")[0] == 1
    assert run(capsys, "data.py", "--exit-zero")[0] == 0
    assert run(capsys, "missing.py") == (2, "", "seedsafe lint: no file or folder missing.py\n")
    assert run(capsys, "--no-such-option")[0] == 2
    assert run(capsys, "--jobs", "0", ".")[0] == 2
    assert run(capsys, "--help")[0] == 0


def test_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (1, "")
    first, second, last = out.splitlines()
    assert first.startswith("data.py:11:16: SSF001 np.random.rand draws from NumPy's global generator")
    assert second.startswith("data.py:11:35: SSF002 self.rng.normal draws from a generator")
    assert last == "Found 2 problems."


def test_a_skipped_file_is_named_on_the_error_stream_and_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "clean.py").write_text("print 'old'\n")
    code, out, err = run(capsys, "clean.py")
    assert (code, out) == (0, "All checks passed!\n")
    assert err.startswith("clean.py: skipped: Python 2 source, line 1: ")


def test_selection(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys) == ["SSF001", "SSF002"]
    assert codes(capsys, "--select", "ALL") == ["SSF001", "SSF002", "SSF017"]
    assert codes(capsys, "--select", "SSF002,SSF017") == ["SSF002", "SSF017"]
    assert codes(capsys, "--select", "SSF00", "--ignore", "SSF001") == ["SSF002"]
    assert codes(capsys, "--extend-select", "SSF017") == ["SSF001", "SSF002", "SSF017"]
    code, _, err = run(capsys, "--select", "F401")
    assert code == 2
    assert err == "seedsafe lint: select names no rule with 'F401': the rules are SSF001 to SSF017, or ALL\n"


def test_settings_of_pyproject(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = project / "pyproject.toml"
    settings.write_text('[tool.seedsafe.lint]\nextend-select = ["SSF017"]\nignore = ["SSF001"]\n')
    assert codes(capsys) == ["SSF002", "SSF017"]
    assert codes(capsys, "--ignore", "SSF002") == ["SSF017"]
    assert codes(capsys, "--select", "SSF001") == ["SSF001"]
    assert codes(capsys, "--isolated") == ["SSF001", "SSF002"]
    settings.write_text('[tool.seedsafe.lint]\nselect = ["SSF002"]\n')
    assert codes(capsys) == ["SSF002"]
    settings.write_text('[tool.seedsafe.lint]\nexclude = ["data.py"]\n')
    assert codes(capsys) == []
    settings.write_text(
        '[tool.seedsafe.lint.per-file-ignores]\n"data*" = ["SSF001"]\n"other/*" = ["SSF002"]\n'
    )
    assert codes(capsys) == ["SSF002"]
    settings.write_text('[tool.seedsafe.lint]\ntorch-version = "1.8"\n')
    assert json.loads(run(capsys, "--format", "json")[1])[0]["severity"] == "error"
    other = project / "other.toml"
    other.write_text('[tool.seedsafe.lint]\nselect = ["SSF001"]\n')
    assert codes(capsys, "--config", "other.toml") == ["SSF001"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('selct = ["SSF001"]', "has no setting 'selct'; it has select, extend-select"),
        ('select = "SSF001"', "select must be a list of strings, not 'SSF001'"),
        ("torch-version = 2", "torch-version must be a string, not 2"),
        ('torch-version = "two"', "torch-version must look like \"2.4\", not 'two'"),
        ("per-file-ignores = []", "per-file-ignores must be a table of lists, not []"),
        ("select = [", "pyproject.toml: "),
    ],
)
def test_unusable_settings(
    project: Path, capsys: pytest.CaptureFixture[str], setting: str, message: str
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.seedsafe.lint]\n{setting}\n")
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert message in err


def test_folders_of_environments_and_excluded_ones_are_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (".venv", "build", "node_modules", "third_party", "src/deep"):
        (project / folder).mkdir(parents=True)
        (project / folder / "more.py").write_text(HAZARD)
    (project / "notes.txt").write_text(HAZARD)
    out = run(capsys, "--exclude", "third_party/", "--select", "SSF001")[1]
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == ["data.py", "src/deep/more.py"]


def test_json_has_the_keys_of_ruff(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = json.loads(run(capsys, "--format", "json")[1])
    assert first["code"] == "SSF001"
    assert first["name"] == "numpy-global-in-worker"
    assert first["filename"] == "data.py"
    assert first["location"] == {"row": 11, "column": 16}
    assert first["end_location"] == {"row": 11}
    assert first["severity"] == "warning"
    assert first["related"] is None
    assert second["related"] == {"filename": "data.py", "row": 8, "column": 20}
    assert json.loads(run(capsys, "clean.py", "--format", "json")[1]) == []


def test_sarif(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "old.py").write_text("print 'old'\n")
    document = json.loads(run(capsys, "--format", "sarif")[1])
    assert document["version"] == "2.1.0"
    (only,) = document["runs"]
    assert [rule["id"] for rule in only["tool"]["driver"]["rules"]] == list(RULES)
    assert all(
        rule["shortDescription"]["text"] and rule["help"]["markdown"]
        for rule in only["tool"]["driver"]["rules"]
    )
    first, second = only["results"]
    assert (first["ruleId"], first["level"]) == ("SSF001", "warning")
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "data.py"},
        "region": {"startLine": 11, "startColumn": 16},
    }
    assert second["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 8
    (note,) = only["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("old.py: Python 2 source")


def test_github(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--format", "github", "--select", "ALL")[1]
    first, second, third = out.splitlines()
    assert first.startswith(
        "::warning file=data.py,line=11,col=16,endLine=11,title=seedsafe (SSF001)::SSF001 np.random"
    )
    assert second.startswith("::error file=data.py,line=11,")
    assert third.startswith("::notice file=data.py,line=11,")
    assert run(capsys, "clean.py", "--format", "github") == (0, "", "")


def test_statistics_and_output_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "more.py").write_text(HAZARD.replace("self.rng.normal()", "np.random.rand()"))
    code, out, _ = run(capsys, "--statistics")
    assert (code, out) == (1, "3\tSSF001\tnumpy-global-in-worker\n1\tSSF002\tstored-generator-in-worker\n")
    assert run(capsys, "--output", "report.json", "--format", "json")[1] == ""
    assert len(json.loads((project / "report.json").read_text())) == 4


def test_output_that_cannot_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--output", str(project))
    assert code == 2
    assert err == f"seedsafe lint: --output cannot be written: {project}: Is a directory\n"


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--explain", "SSF005")
    assert code == 0
    assert out.startswith("# SSF005 outdated-worker-seed\n\n## What it does\n")
    code, out, _ = run(capsys, "--explain", "ALL")
    assert all(f"# {rule.code} {rule.name}" in out for rule in RULES.values())
    assert run(capsys, "--explain", "SSF999")[::2] == (
        2,
        "seedsafe lint: --explain knows no rule 'SSF999': the rules are SSF001 to SSF017\n",
    )


def test_progress_needs_a_terminal(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(210):
        (project / f"part{i}.py").write_text("x = 1\n")
    assert run(capsys, "--jobs", "1")[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "linting" in run(capsys, "--jobs", "1")[2]
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert run(capsys, "--jobs", "1")[2] == ""
