"""Names and calls that people bring from other libraries: each gets an error that says what is meant."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import numpy as np
import pytest
from programs import ROOT, environment, python

import seedsafe as ss
from seedsafe.ground.advice import advice, names

MISSING = "import sys; sys.path.insert(0, 'tests'); from missing import Missing"
NAMES = [(library, name) for library, own in names().items() for name in own]


@pytest.mark.parametrize(("library", "name"), NAMES)
def test_a_name_of_another_library_names_ours(library: str, name: str) -> None:
    meant = names()[library][name]
    assert not hasattr(ss, name), "it needs no entry: it is here"
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as got:
        getattr(ss, name)
    with pytest.raises(ImportError, match=f"has no attribute '{name}'") as imported:
        exec(f"from seedsafe import {name}")  # noqa: S102
    for error in (got, imported):
        assert error.value.name == name  # type: ignore[union-attr]
        assert library in str(error.value)
        assert (meant.call or meant.note) in str(error.value)


@pytest.mark.parametrize(("library", "name"), NAMES)
def test_what_is_meant_can_be_made(library: str, name: str) -> None:
    meant = names()[library][name]
    assert meant.call or meant.note
    if meant.call:
        made = eval(meant.call, {"ss": ss, "np": np})
        for one in made if isinstance(made, tuple) else (made,):
            assert type(one).__module__.startswith("seedsafe.")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Horizontalflip", "HorizontalFlip"),
        ("HorizontalFlp", "HorizontalFlip"),
        ("randomcrop", "RandomCrop"),
        ("RandomResizeCrop", "RandomResizedCrop"),
        ("Normalise", "Normalize"),
        ("GausianBlur", "GaussianBlur"),
        ("ColourJitter", "ColorJitter"),
        ("Sampelkey", "SampleKey"),
        ("compose", "Compose"),
    ],
)
def test_a_typing_mistake_names_what_is_near(written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"'{written}': did you mean .*{meant}"):
        getattr(ss, written)


def test_other_names_get_the_usual_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'seedsafe' has no attribute 'frobnicate'$"):
        ss.frobnicate  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'seedsafe' has no attribute '_private'$"):
        ss._private  # type: ignore[attr-defined]  # noqa: B018
    assert advice("frobnicate", ss.__all__) == ""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ss.Boxes("xyxy"), "got 'xyxy': write 'pascal_voc'"),
        (lambda: ss.Boxes("XYWH"), "got 'XYWH': write 'coco'"),
        (lambda: ss.Boxes("nonsense"), "got 'nonsense'$"),
        (lambda: ss.Compose([lambda image: image]), r"seedsafe\.bridge\(\.\.\.\) around it, or derive"),  # type: ignore[list-item]
        (lambda: ss.Compose([ss.HorizontalFlip]), r"write HorizontalFlip\(\.\.\.\), the class with its"),  # type: ignore[list-item]
        (lambda: ss.Compose([3]), "got 3 of type int: derive it from"),  # type: ignore[list-item]
    ],
)
def test_calls(call: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize(
    ("missing", "line", "words"),
    [
        ("torch", "import seedsafe_torch", "seedsafe_torch needs PyTorch.*'seedsafe[torch]'"),
        ("keras", "SEQUENCE", "keras is not installed: pip install 'seedsafe[keras]'"),
        ("tensorflow", "SEQUENCE", "tensorflow is not installed: pip install 'seedsafe[tensorflow]'"),
    ],
)
def test_a_missing_framework_names_its_extra(missing: str, line: str, words: str) -> None:
    make = "import seedsafe_keras; seedsafe_keras.AugmentedSequence([0], None, seed=1, batch_size=1)"
    code = f"{MISSING}; sys.meta_path.insert(0, Missing({missing!r})); {line.replace('SEQUENCE', make)}"
    done = python("-c", code, cwd=ROOT, env=environment(KERAS_BACKEND="tensorflow"), check=False)
    told = done.stderr.strip().splitlines()[-1]
    assert told.startswith("ModuleNotFoundError: ")
    for part in words.split(".*"):
        assert part in told


@pytest.mark.parametrize("file", ["names.toml", "arguments.toml"])
def test_each_key_of_a_table_stands_once_and_what_is_shared_is_used(file: str) -> None:
    text = (ROOT / "seedsafe" / "ground" / file).read_text(encoding="utf-8")
    table = tomllib.loads(text)
    for own in (
        table["shared"],
        table.get("everywhere", {}),
        *table.get("library", table.get("class")).values(),
    ):
        keys = [name for several in own for name in several.split()]
        assert sorted(set(keys)) == sorted(keys)
    assert set(re.findall(r'"\$(\w+)"', text.partition("[shared]")[2])) == set(table["shared"])


def test_no_table_is_read_before_an_error() -> None:
    code = """
import sys
import seedsafe as ss
ss.Compose([ss.Rotate(20)])
assert not {"tomllib", "seedsafe.ground.advice"} & set(sys.modules)
assert not hasattr(ss, "RandomHorizontalFlip")
assert {"tomllib", "seedsafe.ground.advice"} <= set(sys.modules)
"""
    python("-c", code, cwd=ROOT)
