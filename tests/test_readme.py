"""The README's Python blocks run, one after another, and print what the README says."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest
from programs import ROOT, photographs, python
from test_docs import blocks, printed_by


def test_blocks_print_what_the_readme_shows(tmp_path: Path) -> None:
    code, shown = printed_by(blocks(ROOT / "README.md"))
    photographs(tmp_path)
    script = tmp_path / "readme.py"
    script.write_text(code, encoding="utf-8")
    done = python(script, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (shown, "")


SPAWN = """import multiprocessing
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
"""


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/first-steps.md"])
def test_scripts_run_where_workers_are_spawned(page: str, tmp_path: Path) -> None:
    code, shown = printed_by(blocks(ROOT / page))
    photographs(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(SPAWN + code, encoding="utf-8")
    printed = iter(python(script, cwd=tmp_path).stdout.splitlines())
    assert all(line in printed for line in shown.splitlines())  # in this order; workers may print lines too


def test_it_is_short_and_shows_the_bug() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 600
    assert text.count("![") == 1
    assert text.index("![") < 500
    assert "make demo" in text
    assert "make test" in text


def test_its_links_are_relative_and_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []


def test_a_wheels_readme_has_absolute_links_once_there_is_an_address() -> None:
    made = runpy.run_path(str(ROOT / "scripts/readme_links.py"))["absolute"]
    text = "![a cat](docs/a.jpg), [how](docs/how.md#x), [there](https://example.org), [here](#cost)"
    assert made(text, "") == text
    assert made(text, "https://example.org/blob/main/") == (
        "![a cat](https://example.org/blob/main/docs/a.jpg?raw=true), "
        "[how](https://example.org/blob/main/docs/how.md#x), [there](https://example.org), [here](#cost)"
    )
    whole = made((ROOT / "README.md").read_text(encoding="utf-8"), "https://example.org")
    assert re.findall(r"\]\((?!https:)[^)]*\)", whole) == []


def test_a_release_without_an_address_fails(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(ROOT / "scripts" / "readme_links.py", tmp_path / "scripts")
    for base, code in (("", 1), ("https://example.org", 0)):
        (tmp_path / "pyproject.toml").write_text(f'[tool.hatch.metadata.hooks.custom]\nbase = "{base}"\n')
        done = python(script, check=False)
        assert (done.returncode, "links are dead" in done.stderr) == (code, code == 1)
