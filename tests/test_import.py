"""What an import loads, and that every public name is documented by an example that runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import runpy
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from programs import python

import seedsafe
import seedsafe.functional
import seedsafe.image.flip
import seedsafe_audit
import seedsafe_lint
import seedsafe_look
import seedsafe_torch
from seedsafe.ground.advice import advice, names
from seedsafe.pipeline import primitive

ROOT = Path(__file__).parents[1]
INTERFACES = (
    "seedsafe.bridging",
    "seedsafe.reading",
    "seedsafe.data.stats",
    "seedsafe.data.folder",
    "seedsafe_audit",
)
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


def test_every_name_is_in_the_module_that_it_is_looked_for_in() -> None:
    assert set(seedsafe.__all__) <= set(dir(seedsafe))
    assert seedsafe._HOMES["Rotate"] == "seedsafe.image.affine"
    for name, home in seedsafe._HOMES.items():
        module = importlib.import_module(home)
        assert name in module.__all__
        value = getattr(seedsafe, name)
        assert home == "seedsafe" or value is getattr(module, name)
        if isinstance(value, type | FunctionType) and home not in INTERFACES:
            assert value.__module__ == home
    with pytest.raises(AttributeError, match="module 'seedsafe' has no attribute 'Nothing'"):
        _ = seedsafe.Nothing


def test_a_line_of_the_stub_is_a_name() -> None:
    text = (ROOT / "seedsafe" / "__init__.pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    listed = [(one.name, one.asname, node.module) for node in imports for one in node.names]
    assert sorted(name for name, _, _ in listed) == seedsafe.__all__
    assert {(name, name, home) for name, home in seedsafe._HOMES.items()} == set(listed)


def test_a_room_can_be_imported_from_the_front_door_though_a_name_is_like_it() -> None:
    rooms = [one.name for one in pkgutil.iter_modules(seedsafe.__path__) if one.ispkg]
    assert {"functional", "image"} < set(rooms)
    assert advice("audio", seedsafe.__all__) == "did you mean audit?"
    code = """
import sys
for room in sys.argv[1:]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "seedsafe"]:
        del sys.modules[name]  # as in a process of its own
    exec(f"from seedsafe import {room}; print({room}.__name__)")
"""
    assert python("-c", code, *rooms, cwd=ROOT).stdout.split() == [f"seedsafe.{name}" for name in rooms]


def test_the_version_is_the_installed_one_and_is_looked_up_late() -> None:
    assert seedsafe.__version__ == version("seedsafe")
    assert "__version__" in dir(seedsafe)
    code = "import sys, seedsafe; print('importlib.metadata' in sys.modules); print(seedsafe.__version__)"
    done = python("-c", code, cwd=ROOT)
    assert done.stdout.split() == ["False", version("seedsafe")]


def unlisted() -> list[str]:
    """Return the transforms and plain functions that are public, and that no list of names has."""
    pages = runpy.run_path(str(ROOT / "scripts" / "make_pages.py"))
    lists = {"audio": seedsafe, "image": seedsafe, "functional": seedsafe.functional}
    return [
        f"{module}.{name}"
        for room, of in lists.items()
        for module, own in pages["found"](room).items()
        for name in own
        if name not in of.__all__
    ]


def test_every_transform_and_function_is_listed() -> None:
    assert unlisted() == []


def test_that_an_unlisted_one_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {"__module__": "seedsafe.image.flip", "__doc__": ">>> Tint()"}
    tint = type("Tint", (seedsafe.ImageTransform,), shown)
    monkeypatch.setattr(seedsafe.image.flip, "Tint", tint, raising=False)
    monkeypatch.setattr(seedsafe.image.flip, "__all__", [*seedsafe.image.flip.__all__, "Tint"])
    assert unlisted() == []  # nobody declares it
    monkeypatch.setitem(primitive._declared, tint, primitive.Marks(own=True))
    assert unlisted() == ["seedsafe.image.flip.Tint"]
    monkeypatch.setattr(tint, "__doc__", "A base class.")
    assert unlisted() == []


def test_the_pages_of_names_are_made() -> None:
    pages = runpy.run_path(str(ROOT / "scripts" / "make_pages.py"))
    for path, text in pages["pages"]().items():
        assert path.read_text() == text, f"{path.name} is old: python scripts/make_pages.py"
    tables = re.findall(r"(?m)^## (.+)\n", "".join(page.read_text() for page in pages["MIGRATION"]))
    assert sorted(set(tables) & set(names())) == sorted(names())


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
