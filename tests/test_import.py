"""What an import loads, and that every public name is documented by an example that runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import runpy
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from programs import python

import seedsafe
import seedsafe.functional
import seedsafe.image.flip
import seedsafe_audit
import seedsafe_lint
import seedsafe_look
import seedsafe_torch
from seedsafe.ground.advice import names
from seedsafe.pipeline import primitive

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "tensorflow", "keras", "tf_keras", "cv2", "scipy", "matplotlib", "rich", "multiprocessing")


def loaded_by(code: str) -> set[str]:
    report = f"import sys; {code}; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = python("-c", report, cwd=ROOT)
    return set(done.stdout.split())


def test_the_core_loads_neither_a_framework_nor_opencv() -> None:
    assert loaded_by("import seedsafe; [getattr(seedsafe, name) for name in seedsafe.__all__]") == set()


def test_a_loader_does_without_torchs_compiler() -> None:
    code = "import sys, seedsafe_torch; print(*[name for name in ('torch._dynamo', 'sympy') if name in sys.modules])"
    done = python("-c", code, cwd=ROOT)
    assert not done.stdout.split()
    assert set(seedsafe_torch.__all__) <= set(dir(seedsafe_torch))
    assert all(getattr(seedsafe_torch, name).__name__ == name for name in seedsafe_torch.__all__)
    with pytest.raises(AttributeError, match="module 'seedsafe_torch' has no attribute 'nothing'"):
        _ = seedsafe_torch.nothing


def test_every_name_is_in_the_room_that_it_is_looked_for_in() -> None:
    assert len(set(seedsafe.__all__)) == len(seedsafe.__all__)
    assert set(seedsafe.__all__) <= set(dir(seedsafe))
    for room, own in seedsafe._ROOMS.items():
        assert set(own) <= set(importlib.import_module(room).__all__)
    with pytest.raises(AttributeError, match="module 'seedsafe' has no attribute 'Nothing'"):
        _ = seedsafe.Nothing


def test_the_version_is_the_installed_one_and_is_looked_up_late() -> None:
    assert seedsafe.__version__ == version("seedsafe")
    assert "__version__" in dir(seedsafe)
    code = "import sys, seedsafe; print('importlib.metadata' in sys.modules); print(seedsafe.__version__)"
    done = python("-c", code, cwd=ROOT)
    assert done.stdout.split() == ["False", version("seedsafe")]


def test_the_lists_of_names_are_made() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_names.py"))
    for path, text in (made["rooms"]() | made["rest"]()).items():
        assert path.read_text() == text, f"{path.name} is old: python scripts/make_names.py"
    tables = re.findall(r"(?m)^## (.+)\n", "".join(page.read_text() for page in made["MIGRATION"]))
    assert sorted(set(tables) & set(names())) == sorted(names())


def test_a_new_name_comes_into_every_list(monkeypatch: pytest.MonkeyPatch) -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_names.py"))
    shown = {"__module__": "seedsafe.image.flip", "__doc__": ">>> Tint()"}
    tint = type("Tint", (seedsafe.ImageTransform,), shown)
    monkeypatch.setattr(seedsafe.image.flip, "Tint", tint, raising=False)
    monkeypatch.setattr(seedsafe.image.flip, "__all__", [*seedsafe.image.flip.__all__, "Tint"])
    assert "Tint" not in "".join(made["rooms"]().values())  # nobody declares it
    monkeypatch.setitem(primitive._declared, tint, primitive.Marks(own=True))
    written = {path.parent.name: text for path, text in made["rooms"]().items()}
    assert "import HorizontalFlip, Tint, VerticalFlip" in written["image"]
    assert '    "Tint",\n    "ToCHW",' in written["image"]
    assert '        "Tint",\n        "ToCHW",' in written["seedsafe"]
    monkeypatch.setattr(tint, "__doc__", "A base class.")
    assert "Tint" not in "".join(made["rooms"]().values())
    monkeypatch.setitem(seedsafe._ROOMS, "seedsafe.image", ("Tint",))
    assert "from seedsafe.image import Tint as Tint" in made["stub"]()


def test_that_test_would_notice() -> None:
    assert "cv2" in loaded_by("import seedsafe, cv2")


def modules() -> list[ModuleType]:
    found = []
    for package in (seedsafe, seedsafe_torch, seedsafe_lint, seedsafe_audit, seedsafe_look):
        found.append(package)
        for one in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if "__main__" not in one.name:
                found.append(importlib.import_module(one.name))
    return found


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_examples_run(module: ModuleType) -> None:
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_all_is_what_is_there(module: ModuleType) -> None:
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


PUBLIC = [
    (module, name)
    for module in (seedsafe, seedsafe.functional, seedsafe_torch)
    for name in module.__all__
    if callable(getattr(module, name))
]
# Their classes are made by the library and described where they come from.
WITHOUT_EXAMPLE = [
    "Applied",
    "Stream",
    "ImageTransform",
    "SpatialTransform",
    "VideoTransform",
    "AudioTransform",
]


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda one: getattr(one, "__name__", one))
def test_public_names_have_an_example(module: ModuleType, name: str) -> None:
    documented = getattr(module, name).__doc__ or ""
    assert documented
    assert ">>>" in documented or name in WITHOUT_EXAMPLE
