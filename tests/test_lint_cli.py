"""The linter's command line: exit codes, settings, formats."""

import json
import os
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
    (tmp_path / "clean.py").write_text("from data import Images\n\nx = Images()\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def codes(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    return [item["code"] for item in json.loads(run(capsys, *argv, "--format", "json")[1])]


WARNING = """\
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return np.random.rand() + np.random.rand()
"""


def test_exit_codes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mild.py").write_text(WARNING)
    assert run(capsys, "clean.py") == (0, "All checks passed!\n", "")
    assert run(capsys, "data.py")[0] == 1
    assert run(capsys, "data.py", "--exit-zero")[0] == 0
    assert run(capsys, "mild.py")[0] == 0
    assert run(capsys, "mild.py", "--strict")[0] == 1
    assert run(capsys, "mild.py", "--strict", "--min-severity", "error")[0] == 0
    assert run(capsys, "clean.py", "--strict")[0] == 0
    assert run(capsys, "missing.py") == (
        2,
        "",
        "seedsafe lint: there is no file or folder missing.py: pass a path that exists\n",
    )
    for wrong in (["--no-such-option"], ["--jobs", "0", "."], ["--min-severity", "bad"]):
        assert run(capsys, *wrong)[0] == 2
    assert run(capsys, "--help")[0] == 0


def test_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (1, "")
    first, second, count, *fixes = out.splitlines()
    assert first.startswith(
        "data.py:11:16: SSF001 warning: np.random.rand draws from NumPy's global generator"
    )
    assert second.startswith("data.py:11:35: SSF002 error: self.rng.normal draws from a generator")
    assert count == "Found 1 error and 1 warning."
    assert fixes == [f"{code}: {RULES[code].fix}" for code in ("SSF001", "SSF002")]


def test_findings_of_one_generator_are_one_entry_in_each_format(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (
        HAZARD.replace("random.random()", "np.random.rand()") + "\n    def __len__(self):\n        return 1\n"
    )
    body = "        return self.rng.normal() + np.random.rand()\n"
    (project / "data.py").write_text(f"{source}\n    def __getitems__(self, many):\n{body}")
    first, more, second, others, count, *_ = run(capsys, "data.py")[1].splitlines()
    assert first.startswith("data.py:11:16: SSF001")
    assert second.startswith("data.py:11:35: SSF002")
    assert (more, others) == ("    also lines 11 and 17", "    also line 17")
    assert count == "Found 1 error and 1 warning in 5 places (--all lists each)."
    assert run(capsys, "data.py", "--all")[1].splitlines()[5] == "Found 2 errors and 3 warnings."
    entries = json.loads(run(capsys, "data.py", "--format", "json")[1])
    assert [(e["code"], [place["row"] for place in e["more"]]) for e in entries] == [
        ("SSF001", [11, 17]),
        ("SSF002", [17]),
    ]
    assert entries[0]["more"][0] == {"filename": "data.py", "row": 11, "column": 55}
    assert len(json.loads(run(capsys, "data.py", "--format", "json", "--all")[1])) == 5


def test_annotations_and_sarif_have_one_result_for_each_place(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "    def __getitems__(self, many):\n        return self.rng.normal() + np.random.rand()\n"
    (project / "data.py").write_text(f"{HAZARD}\n{body}")
    (only,) = json.loads(run(capsys, "data.py", "--format", "sarif")[1])["runs"]
    places = [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
        for result in only["results"]
    ]
    assert places == [("SSF001", 11), ("SSF002", 11), ("SSF002", 14), ("SSF001", 14)]
    lines = run(capsys, "data.py", "--format", "github")[1].splitlines()
    assert [line.split(",")[1] for line in lines] == ["line=11", "line=11", "line=14", "line=14"]


def test_a_generator_that_other_files_draw_from_is_one_entry(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "data.py").write_text("import numpy as np\n\nRNG = np.random.default_rng(0)\n")
    for name in ("a.py", "b.py"):
        (project / name).write_text(
            "from torch.utils.data import Dataset\nfrom data import RNG\n\n\nclass Images(Dataset):\n"
            "    def __getitem__(self, index):\n        return RNG.random()\n"
        )
    first, more, count, _ = run(capsys)[1].splitlines()
    assert first.startswith("a.py:7:16: SSF002 error: ")
    assert (more, count) == ("    also b.py line 7", "Found 1 error in 2 places (--all lists each).")


def test_min_severity(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    every = ("--select", "ALL")
    assert codes(capsys, *every, "--min-severity", "error") == ["SSF002"]
    assert codes(capsys, *every, "--min-severity", "warning") == ["SSF001", "SSF002"]
    assert codes(capsys, *every, "--min-severity", "note") == ["SSF001", "SSF002", "SSF017"]
    (project / "pyproject.toml").write_text('[tool.seedsafe.lint]\nmin-severity = "error"\nstrict = true\n')
    assert codes(capsys) == ["SSF002"]
    assert codes(capsys, "--min-severity", "note") == ["SSF001", "SSF002"]
    (project / "data.py").write_text(WARNING)
    assert run(capsys, "data.py")[0] == 0
    assert run(capsys, "data.py", "--min-severity", "note")[0] == 1


def test_a_baseline_hides_what_it_knows_wherever_it_has_moved(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, "--write-baseline", "known.json")
    assert (code, out) == (0, "Wrote 2 findings into known.json.\n")
    assert run(capsys, "--baseline", "known.json") == (
        0,
        "All checks passed! The baseline hides 2 more.\n",
        "",
    )
    (project / "data.py").write_text("# a line more\n" + HAZARD)
    assert codes(capsys, "--baseline", "known.json") == []
    (project / "pyproject.toml").write_text('[tool.seedsafe.lint]\nbaseline = "known.json"\n')
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert codes(capsys, "..") == []
    monkeypatch.chdir(project)
    again = "    def __getitems__(self, many):\n" + HAZARD[HAZARD.index("        return") :]
    (project / "data.py").write_text(f"{HAZARD}\n{again}")
    assert codes(capsys) == ["SSF001", "SSF002"]
    run(capsys, "--write-baseline", "known.json")
    assert codes(capsys) == []
    for wrong, message in (
        ("missing.json", "cannot be read: No such file"),
        ("data.py", "is not a baseline"),
    ):
        code, _, err = run(capsys, "--baseline", wrong)
        assert code == 2
        assert message in err


def test_a_baseline_may_lie_on_another_drive(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, start: Path) -> str:
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    monkeypatch.setattr(os.path, "relpath", refuse)
    assert run(capsys, "--write-baseline", "known.json")[0] == 0
    assert list(json.loads((project / "known.json").read_text())["findings"]) == [
        (project / "data.py").as_posix()
    ]
    assert codes(capsys, "--baseline", "known.json") == []


def test_add_noqa(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = (
        "        a = np.random.rand()  # noqa: E501\r\n"
        "        b = np.random.rand()  # größer\r\n"
        "        c = np.random.rand(\r\n            3\r\n        )\r\n"
        "        d = np.random.rand() \\\r\n            + 1\r\n"
        "        return self.rng.normal() + a + b + c + d\r\n"
    )
    head = HAZARD[: HAZARD.index("        return")].replace("\n", "\r\n")
    (project / "data.py").write_bytes(("# coding: latin-1\r\n" + head + body).encode("latin-1"))
    code, out, _ = run(capsys, "--add-noqa")
    assert (code, out) == (0, "data.py:17: no room for a comment\nChanged 4 lines.\n")
    text = (project / "data.py").read_bytes().decode("latin-1")
    assert "rand()  # noqa: E501, SSF001\r\n" in text
    assert "rand()  # größer  # noqa: SSF001\r\n" in text
    assert "        )  # noqa: SSF001\r\n" in text
    assert "+ d  # noqa: SSF002\r\n" in text
    assert codes(capsys) == ["SSF001"]


def test_what_cannot_be_read_is_told_and_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "clean.py").write_text("print 'old'\n")
    code, out, err = run(capsys, "clean.py")
    assert (code, out) == (1, "Found nothing, but 1 of 1 files cannot be read.\n")
    assert err.startswith("clean.py: skipped: Python 2 source, line 1: ")
    assert run(capsys, "clean.py", "--exit-zero")[0] == 0
    assert run(capsys, "clean.py", "--format", "github")[1].startswith("::error file=clean.py,line=1,title=")


@pytest.mark.fork  # and os.mkfifo
def test_what_is_no_file_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(project / "pipe.py")
    code, _, err = run(capsys, "pipe.py")
    assert (code, err) == (1, "pipe.py: skipped: cannot be read: it is not a file\n")


def test_a_path_without_a_file_to_read_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "empty").mkdir()
    message = "seedsafe lint: nothing to read in empty: it has no Python file, or all are excluded\n"
    assert run(capsys, "empty") == (2, "", message)
    assert run(capsys, "empty", "clean.py") == (0, "All checks passed!\n", message)
    assert run(capsys, "clean.py", "--exclude", "clean.py")[0] == 2


CELLS = [
    ("markdown", "# Images"),
    ("code", "%matplotlib inline\n!pip install numpy\nfiles = !ls\nimport numpy as np\nnp.random?"),
    ("code", "%%bash\nls $("),
    ("code", "%%time\nfrom torch.utils.data import Dataset\nRNG = np.random.default_rng(0)\nx = (7\n  % 3)"),
    ("code", "class Images(Dataset):\n    def __getitem__(self, i):\n        return RNG.random()"),
]


def notebook(file: Path, cells: list[tuple[str, str]]) -> None:
    parts = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    file.write_text(json.dumps({"cells": parts, "nbformat": 4}))


def test_a_notebook_is_read_by_its_cells(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook(project / "try.ipynb", CELLS)
    first = run(capsys, "try.ipynb")[1].splitlines()[0]
    assert first.startswith("try.ipynb:cell 5:3:16: SSF002 error: RNG.random draws from a generator")
    assert "default_rng, line 3 of cell 4;" in first
    assert codes(capsys) == ["SSF001", "SSF002", "SSF002"]
    (entry,) = json.loads(run(capsys, "try.ipynb", "--format", "json")[1])
    assert (entry["cell"], entry["location"]) == (5, {"row": 3, "column": 16})
    assert entry["related"] == {"filename": "try.ipynb", "row": 3, "column": 7, "cell": 4}
    (line,) = run(capsys, "try.ipynb", "--format", "github")[1].splitlines()
    assert line.startswith("::error file=try.ipynb,line=1,col=1,")
    assert "::SSF002 cell 5, line 3: RNG.random" in line
    run(capsys, "try.ipynb", "--write-baseline", "known.json")
    notebook(project / "try.ipynb", [("code", "x = 1\ny = 2"), *CELLS])
    assert codes(capsys, "try.ipynb", "--baseline", "known.json") == []
    assert run(capsys, "try.ipynb", "--add-noqa")[1].startswith("try.ipynb:3: no room for a comment\n")
    notebook(project / "try.ipynb", [*CELLS[:-1], (CELLS[-1][0], CELLS[-1][1] + "  # noqa: SSF002")])
    assert codes(capsys, "try.ipynb") == []
    for broken in ("{", "[]", '{"cells": [{"cell_type": "code"}]}'):
        (project / "try.ipynb").write_text(broken)
        code, _, err = run(capsys, "try.ipynb")
        assert (code, err.split(": ")[2]) == (1, "is not a notebook of format 4")


def test_a_renamed_file_keeps_its_baseline(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "other.py").write_text(HAZARD.replace("self.rng.normal()", "self.rng.uniform()"))
    run(capsys, "--write-baseline", "known.json")
    (project / "sub").mkdir()
    (project / "data.py").rename(project / "sub" / "images.py")
    (project / "other.py").rename(project / "more.py")
    assert codes(capsys, "--baseline", "known.json") == []
    (project / "copy.py").write_text(HAZARD.replace("self.rng.normal()", "0"))
    found = json.loads(run(capsys, "--baseline", "known.json", "--format", "json")[1])
    assert {entry["filename"] for entry in found} == {"copy.py"}
    (project / "copy.py").unlink()
    (project / "more.py").write_text(WARNING)
    assert codes(capsys, "--baseline", "known.json") == ["SSF001"]


def test_a_code_of_an_earlier_version_still_loads_and_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "seedsafe lint: no longer rules: {}; comments, settings or the baseline name them\n"
    body = "        return np.random.default_rng(hash(f'{index}')).random()  # noqa: SSF018, SSF011\n"
    (project / "data.py").write_text(HAZARD[: HAZARD.index("        return")] + body)
    assert run(capsys, "data.py") == (0, "All checks passed!\n", told.format("SSF011, SSF018 (now SSF004)"))
    (project / "data.py").write_text(HAZARD)
    run(capsys, "--write-baseline", "known.json")
    known = (project / "known.json").read_text()
    (project / "known.json").write_text(known.replace("SSF001", "SSF019"))
    code, out, err = run(capsys, "--baseline", "known.json")
    assert (code, out) == (0, "All checks passed! The baseline hides 2 more.\n")
    assert err == told.format("SSF019 (now SSF001)")
    (project / "pyproject.toml").write_text('[tool.seedsafe.lint]\nignore = ["SSF019", "SSF009"]\n')
    assert codes(capsys) == ["SSF002"]
    assert run(capsys)[2] == told.format("SSF009, SSF019 (now SSF001)")
    assert run(capsys, "--explain", "SSF018")[1].startswith("# SSF004")
    assert run(capsys, "--explain", "SSF009")[::2] == (
        2,
        "seedsafe lint: SSF009 is no longer a rule: no rule reports its findings\n",
    )


def test_selection(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys) == ["SSF001", "SSF002"]
    assert codes(capsys, "--select", "ALL") == ["SSF001", "SSF002", "SSF017"]
    assert codes(capsys, "--select", "SSF002,SSF017") == ["SSF002", "SSF017"]
    assert codes(capsys, "--select", "SSF00", "--ignore", "SSF001") == ["SSF002"]
    assert codes(capsys, "--extend-select", "SSF017") == ["SSF001", "SSF002", "SSF017"]
    code, _, err = run(capsys, "--select", "F401")
    assert code == 2
    assert (
        err
        == "seedsafe lint: select got 'F401', which is not a rule: pass SSF001 to SSF021, a prefix, or ALL\n"
    )


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
        ('selct = ["SSF001"]', "has no setting 'selct': use one of select, extend-select"),
        ('select = "SSF001"', "select must be a list of strings, got 'SSF001'"),
        ("torch-version = 2", "torch-version must be a string, got 2"),
        ('torch-version = "two"', "torch-version must be a version such as \"2.4\", got 'two'"),
        ("per-file-ignores = []", "per-file-ignores must be a table of lists, got []"),
        ("select = [", "pyproject.toml: "),
        ("strict = 1", "strict must be true or false, got 1"),
        ('min-severity = "bad"', "min-severity must be one of error, warning, note, got 'bad'"),
        ("baseline = []", "baseline must be a string, got []"),
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
    assert [line.partition(":")[0] for line in out.splitlines() if " warning: " in line] == [
        "data.py",
        "src/deep/more.py",
    ]


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
    assert run(capsys, "--output", "report.json", "--format", "json", "--all")[1] == ""
    assert len(json.loads((project / "report.json").read_text())) == 4


def test_output_that_cannot_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--output", str(project))
    assert code == 2
    assert (
        err
        == f"seedsafe lint: {project} cannot be written: Is a directory. Pass a file in a folder that exists\n"
    )


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--explain", "SSF005")
    assert code == 0
    assert out.startswith("# SSF005 outdated-worker-seed\n\n## What it does\n")
    code, out, _ = run(capsys, "--explain", "ALL")
    assert all(f"# {rule.code} {rule.name}" in out for rule in RULES.values())
    assert run(capsys, "--explain", "SSF999")[::2] == (
        2,
        "seedsafe lint: --explain got 'SSF999', which is not a rule: pass SSF001 to SSF021, or ALL\n",
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
