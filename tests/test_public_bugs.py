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
    for targets in ([file], [file, f"{file}:dataset"]):  # an audit where the code alone does not tell
        main(["check", *targets, "--json"])
        page = json.loads(capsys.readouterr().out)
        errors = [cause for cause in page["causes"] if cause["severity"] == "error"]
        by_lint = {place["line"] for cause in errors for place in cause["places"]}
        answers = page["audit"]["answers"] if page["audit"] else []
        told = [one for one in answers if one["verdict"] in ("fault", "warning")]
        places = [place for one in told for place in one["places"] if place.startswith(file)]
        by_audit = {int(place.rpartition(":")[2]) for place in places}
        evidence = " ".join(line for one in told for line in one["evidence"])
        named = line in by_lint | by_audit or f"{file}:{line}:" in evidence
        if named:
            break
    assert named, (by_lint, by_audit, told)
    assert not page["verdict"].startswith("not affected")
