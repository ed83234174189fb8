"""Public projects just before their fix: lint or audit names the file and the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from public_bugs import PROJECTS, code_of

from seedsafe.__main__ import main


@pytest.mark.fork
@pytest.mark.parametrize("project", PROJECTS)
def test_the_line_is_named(
    project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = f"bug_{project.replace(' ', '_')}.py"
    code = code_of(project)
    Path(file).write_text(code)
    Path("pyproject.toml").write_text("")
    line = next(number for number, text in enumerate(code.splitlines(), 1) if "# BUG" in text)
    main(["check", file, f"{file}:dataset", "--json"])
    page = json.loads(capsys.readouterr().out)
    by_lint = {
        place["line"] for cause in page["causes"] if cause["severity"] == "error" for place in cause["places"]
    }
    told = [one for one in page["audit"]["answers"] if one["verdict"] in ("fault", "warning")]
    by_audit = {
        int(place.rpartition(":")[2]) for one in told for place in one["places"] if place.startswith(file)
    }
    evidence = " ".join(line for one in told for line in one["evidence"])
    assert line in by_lint | by_audit or f"{file}:{line}:" in evidence, (by_lint, by_audit, told)
    assert not page["verdict"].startswith("not affected")
