"""Options: what type checkers, docstrings and users' subclasses make of their declarations."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import MISSING, dataclass, fields
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from cases import TRANSFORMS

import seedsafe as ss

ROOT = Path(__file__).parents[1]
TYPED = Path(__file__).with_name("typed_options.py")
DECLARED = sorted(set(TRANSFORMS) - {"Bridged"})


def out_of(*command: str, folder: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def snippets(tmp_path: Path) -> Path:
    """A folder with the snippets, in which pyright reports a needless `type: ignore` as mypy does."""
    shutil.copy(TYPED, tmp_path)
    config = {
        "include": ["."],
        "extraPaths": [str(ROOT)],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    return tmp_path


@pytest.mark.timeout(600)
def test_mypy_knows_what_may_be_given_and_what_is_kept(snippets: Path) -> None:
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(snippets / "cache"))
    found = out_of(*mypy, str(snippets / TYPED.name), folder=ROOT)
    assert "Success: no issues found in 1 source file" in found, found


@pytest.mark.timeout(600)
def test_pyright_knows_what_may_be_given_and_what_is_kept(snippets: Path) -> None:
    found = out_of(sys.executable, "-m", "pyright", "-p", str(snippets), folder=snippets)
    assert "0 errors, 0 warnings" in found, found


@pytest.mark.parametrize("name", DECLARED)
def test_the_type_of_each_option_that_is_kept_in_another_form_is_among_the_snippets(name: str) -> None:
    kind, told = getattr(ss, name), TYPED.read_text()
    for one in fields(kind):
        if "|" in str(one.type) and "tuple" in str(one.type) and one.name not in ("fill", "transforms"):
            assert f").{one.name}, " in "\n".join(x for x in told.splitlines() if f"ss.{name}(" in x), (
                one.name
            )


@pytest.mark.parametrize("name", DECLARED)
def test_a_default_is_kept_as_if_it_had_been_given(name: str) -> None:
    kind = getattr(ss, name)
    case = TRANSFORMS[name]
    transform = case.make()
    for one in fields(kind):
        if one.init and one.default not in (MISSING, None) and one.name not in case.arguments:
            again = list(one.default) if isinstance(one.default, tuple) else one.default
            same = case.make(**{one.name: again})
            assert repr(getattr(same, one.name)) == repr(getattr(transform, one.name)), one.name


@pytest.mark.parametrize("name", [*DECLARED, "Boxes", "Keypoints"])
def test_each_option_and_error_is_described_once(name: str) -> None:
    kind = getattr(ss, name)
    text = cleandoc(kind.__doc__)
    section = text.partition("\n\nArgs:\n")[2].partition("\n\n")[0]
    entries = [line.split(":")[0].strip() for line in section.splitlines() if line[4] != " "]
    assert sorted(entries) == sorted(signature(kind).parameters)
    errors = text.partition("\n\nRaises:\n")[2].partition("\n\n")[0]
    assert errors.count("    TypeError: ") == errors.count("    ValueError: ") == 1
    assert "{" not in section + errors
    assert max(map(len, [*section.splitlines(), *errors.splitlines()])) <= 110


def test_shared_sentences() -> None:
    text = ss.Rotate.__doc__ or ""
    assert "    p: the probability that the transform fires, in [0, 1].\n" in text
    assert (
        '    interpolation: "nearest", "bilinear", "bicubic" or "lanczos"; masks are always "nearest".\n'
        in text
    )
    assert '"area" or "lanczos"' in (ss.Resize.__doc__ or "")
    assert "which includes turns by 0 degrees" in (ss.RandomRotate90.__doc__ or "")  # its own sentence
    jitter = ss.LinearColorJitter.__doc__ or ""
    assert "an argument has the wrong type; when applied, the image is neither uint8 nor float32." in jitter
    assert "out of its range; when applied, the image has neither 3 channels nor 1." in jitter


def test_no_docstrings_are_needed() -> None:
    code = "import seedsafe as ss; print(ss.RandomCrop(3), ss.Compose([ss.Rotate(9)]), ss.D4.__doc__)"
    found = out_of(sys.executable, "-OO", "-c", code, folder=ROOT)
    assert found.startswith("RandomCrop(size=(3, 3)) Compose([Rotate(degrees=(-9.0, 9.0))])"), found
    assert "Args:" not in found


def test_annotations_are_what_may_be_given() -> None:
    assert str(signature(ss.RandomCrop).parameters["size"].annotation) == "int | tuple[int, int]"
    assert get_type_hints(ss.Rotate.__init__)["degrees"] == float | tuple[float, float]
    for name in DECLARED:
        assert "Option" not in str(signature(getattr(ss, name))), name
        get_type_hints(getattr(ss, name).__init__)


def test_users_subclasses_have_their_options_checked() -> None:
    @dataclass(frozen=True)
    class Shifted(ss.RandomCrop):
        by: int = 0
        padding: Any = 3  # a default of its own

        def __post_init__(self) -> None:
            ss.RandomCrop.__post_init__(self)

    assert (Shifted(8).size, Shifted(8).padding, Shifted(8, by=2).by) == ((8, 8), 3, 2)
    assert Shifted(8, padding=[1, 1, 1, 1]).padding == 1
    with pytest.raises(ValueError, match="padding must have 1, 2 or 4 numbers"):
        Shifted(8, padding=(1, 2, 3))
    with pytest.raises(TypeError, match="size must be an integer, got 'x'"):
        Shifted("x")  # type: ignore[arg-type]


def test_none_passes_only_where_it_is_the_default() -> None:
    assert ss.BBoxSafeCrop(None).size is None
    with pytest.raises(TypeError, match="size must be an integer, got None"):
        ss.RandomCrop(None)  # type: ignore[arg-type]
