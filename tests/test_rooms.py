"""The contracts on imports hold, each notices what it forbids, and no room or tool is left out of them."""

from __future__ import annotations

import ast
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHELVES = ("adapters", "tools")
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
CONTRACTS = TOOLS["importlinter"]
BREAKS = [  # what is written into which file, and the words of the contract that has to notice
    ("seedsafe/keys/key.py", "import torch", "frameworks"),
    ("seedsafe/bridging/region.py", "import seedsafe_torch", "frameworks"),
    ("seedsafe/keys/key.py", "from seedsafe.pipeline.compose import Compose", "run one way"),
    ("seedsafe/new_room.py", "", "every room has its layer"),
    ("seedsafe/keys/key.py", "from seedsafe.keys.ambient import claim", "inside the rooms"),
    ("adapters/seedsafe_torch/cell.py", "import seedsafe_keras", "never each other"),
    ("adapters/seedsafe_torch/cell.py", "from seedsafe.pipeline.compose import Compose", "nothing deeper"),
    ("adapters/seedsafe_torch/cell.py", "from seedsafe.reading.reader import KeyedReader", "nothing deeper"),
    (
        "adapters/seedsafe_torch/sampler.py",
        "from seedsafe_torch.trainers import lightning",
        "torch's adapter",
    ),
    ("adapters/seedsafe_torch/new_file.py", "", "torch's adapter"),
    ("adapters/seedsafe_keras/base.py", "from seedsafe_keras.fit import fit", "Keras's adapter"),
    (
        "adapters/seedsafe_torch/conversion/recorder.py",
        "from seedsafe_torch.conversion.pipeline import convert",
        "inside the adapters",
    ),
    ("seedsafe/pipeline/compose.py", "from seedsafe_lint.rules import RULES", "nobody imports the tools"),
    ("adapters/seedsafe_keras/base.py", "import seedsafe_audit", "nobody imports the tools"),
    ("tools/seedsafe_lint/rules.py", "from seedsafe.keys.key import SampleKey", "the linter"),
    ("tools/seedsafe_audit/report.py", "import seedsafe_torch", "the audit"),
    ("tools/seedsafe_look/show.py", "import seedsafe_torch", "preview, explain and demo"),
    ("tools/seedsafe_lint/index.py", "from seedsafe_lint.values import Fn", "inside the tools"),
]


def broken(root: Path) -> str:
    """Return the names of the contracts that a tree breaks, as one text."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        check=False,
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (root, *(root / s for s in SHELVES))))},
        capture_output=True,
        text=True,
    )
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    listed = done.stdout.partition("dependencies.")[2].partition("Contracts:")[0]
    contracts = re.findall(r"(.+?) (KEPT|BROKEN)", " ".join(listed.split()))
    assert len(contracts) == len(CONTRACTS["contracts"])
    return "; ".join(name for name, verdict in contracts if verdict == "BROKEN")


def test_they_hold() -> None:
    assert broken(ROOT) == ""


@pytest.mark.parametrize(("file", "line", "words"), BREAKS)
def test_each_notices(file: str, line: str, words: str, tmp_path: Path) -> None:
    for folder in ("seedsafe", *SHELVES):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    assert words in broken(tmp_path)


def arrows(source: Path) -> dict[str, set[str]]:
    """Return which rooms of a package each room imports; the front door and the command line are none."""
    found: dict[str, set[str]] = {}
    for path in source.rglob("*.py"):
        room = path.relative_to(source).parts[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        imports = found.setdefault(room, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("seedsafe."):
                imports.add(str(node.module).split(".")[1])
        imports.discard(room)
    return found


def test_the_house_is_small() -> None:
    imports = arrows(ROOT / "seedsafe")

    def floor(room: str) -> int:
        return 1 + max(map(floor, imports[room]), default=0)

    assert len(imports) <= 13
    assert (
        sum(map(len, imports.values())) <= 32
    )  # the last two are to and from the compiled kernels, which are opened under the lock of late imports
    assert max(map(floor, imports)) <= 6


COUNT = runpy.run_path(str(ROOT / "scripts" / "count_lines.py"))


@pytest.mark.parametrize("package", list(COUNT["packages"](ROOT)), ids=lambda package: package.name)
def test_no_files_import_each_other_in_a_circle(package: Path) -> None:
    found = COUNT["circles"](COUNT["imports"](package))
    names = [{one.removeprefix(package.name).removeprefix(".") for one in circle} for circle in found]
    assert names == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("from package import other", "from package.one import name"),
        ("import package.other", "def late():\n    from package.one import name"),
        (
            "from .other import name",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import one",
        ),
        ("import other", "import one"),  # run by its path
        ("from package.third import name", "from package import one"),
    ],
)
def test_that_a_circle_would_be_noticed(one: str, other: str, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    texts = {"__init__": "", "one": one, "other": other, "third": "from package.other import name"}
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    (circle,) = COUNT["circles"](COUNT["imports"](package))
    assert {"package.one", "package.other"} <= circle
    (package / "other.py").write_text("import package.nothing, third")
    (package / "third.py").write_text("")
    assert COUNT["circles"](COUNT["imports"](package)) == []


def test_each_package_is_searched_for_circles() -> None:
    searched = {package.name for package in COUNT["packages"](ROOT)}
    assert {*CONTRACTS["root_packages"], "benchmarks", "scripts", "tests"} <= searched
    assert {"seedsafe_albumentations", "seedsafe_torch", "benchmarks"} <= searched


def test_lines_of_code_are_counted() -> None:
    text = '"""A text."""\n\nimport os\nfrom a import (\n    b,\n)\n\n__all__ = [\n    "c",\n]\n# why\nc = (\n    1,\n)\n'
    assert COUNT["code_lines"](text) == 2
    assert COUNT["code_lines"]("__all__: list[str] = []\n") == 0


def test_each_file_is_in_one_room_and_no_room_is_above_its_budget() -> None:
    assert list(COUNT["faults"](ROOT)) == []
    for room in COUNT["counted_rooms"](ROOT):
        assert room.code > 0, f"{room.name} is empty"
        assert room.goal <= room.now


def test_that_a_room_grew_would_be_noticed(tmp_path: Path) -> None:
    def faults(rooms: str) -> str:
        (tmp_path / "pyproject.toml").write_text(f"[tool.house.rooms]\n{rooms}\n")
        return "; ".join(COUNT["faults"](tmp_path))

    (tmp_path / "seedsafe" / "keys").mkdir(parents=True)
    (tmp_path / "seedsafe" / "keys" / "key.py").write_text("a = 1\nb = 2\n")
    keys = 'keys = { paths = ["seedsafe/keys"], now = 2, goal = 1 }'
    assert faults(keys) == ""
    assert "keys has 2 lines of code, 1 above its budget" in faults(keys.replace("now = 2", "now = 1"))
    assert "key.py is in keys and all" in faults(keys + '\nall = { paths = ["seedsafe"], now = 9, goal = 9 }')
    (tmp_path / "seedsafe" / "new.py").write_text("")
    assert "seedsafe/new.py is in no room: name its folder once" in faults(keys)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "internals.toml").write_text(
        'own = ["a.py"]\n["b.py"]\neval = {why = "c"}\ngc = {why = "d"}\n'
    )
    (tmp_path / "seedsafe" / "new.py").unlink()
    assert faults(f"{keys}\n[tool.house.internals]\nnow = 2\ngoal = 1") == ""
    assert "lists 2 uses, more than the 1 of" in faults(f"{keys}\n[tool.house.internals]\nnow = 1\ngoal = 1")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")  # an older checkout
    assert list(COUNT["faults"](tmp_path)) == []


def test_each_contract_has_a_break() -> None:
    for contract in CONTRACTS["contracts"]:
        assert any(words in contract["name"] for _, _, words in BREAKS), contract["name"]


def test_every_package_is_under_contract() -> None:
    on_shelves = {path.parent.name for shelf in SHELVES for path in (ROOT / shelf).glob("*/__init__.py")}
    assert set(CONTRACTS["root_packages"]) == {"seedsafe", *on_shelves}
    assert set(TOOLS["mypy"]["packages"]) == {"seedsafe", *on_shelves}
    tools = {path.parent.name for path in (ROOT / "tools").glob("*/__init__.py")}
    adapters = on_shelves - tools
    by_words = {
        words: next(c for c in CONTRACTS["contracts"] if words in c["name"]) for _, _, words in BREAKS
    }
    assert adapters <= set(by_words["frameworks"]["forbidden_modules"])
    assert adapters == set(by_words["never each other"]["modules"])
    assert adapters == set(by_words["nothing deeper"]["source_modules"])
    assert tools == set(by_words["nobody imports the tools"]["protected_modules"])
    assert adapters <= set(by_words["the linter"]["forbidden_modules"])
    assert adapters <= set(by_words["the audit"]["forbidden_modules"])
    assert adapters <= set(by_words["preview, explain and demo"]["forbidden_modules"])


def imported(folder: Path) -> set[str]:
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
    return names


def test_the_linter_imports_the_standard_library_alone() -> None:
    own = {"seedsafe_lint", "rich"}  # rich draws the bar of progress where it is installed
    assert imported(ROOT / "tools" / "seedsafe_lint") <= sys.stdlib_module_names | own
    assert "numpy" in imported(ROOT / "tools" / "seedsafe_audit"), "imports are found at all"


OPEN = {"reading", "ring"}  # what adapters stand on, and the batches in place that torch's loader offers


def deeper(source: str) -> set[str]:
    """Return what a module imports of the core besides the front door and the adapters' interface."""
    import seedsafe.reading

    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("seedsafe.")}
        elif isinstance(node, ast.ImportFrom) and node.module == "seedsafe.reading":
            found |= {alias.name for alias in node.names} - set(seedsafe.reading.__all__)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("seedsafe."):
            found.add(str(node.module))
        elif isinstance(node, ast.ImportFrom) and node.module == "seedsafe":
            found |= {alias.name for alias in node.names} - set(seedsafe.__all__) - OPEN
    return found


ON_TENSORS = {
    "tensor_draws.py": ("seedsafe.keys.",),
    "key_tensor.py": ("seedsafe.keys.",),
    "on_device.py": ("seedsafe.keys.", "seedsafe.mixing."),
    "steps.py": ("seedsafe.functional.", "seedsafe.pipeline.batch"),
}
"""The core's own arithmetic on tensors: these files share its tables and checks."""


def test_adapters_import_the_front_door_and_their_interface_alone() -> None:
    for path in (ROOT / "adapters").rglob("*.py"):
        found = deeper(path.read_text(encoding="utf-8"))
        if path.parent.name == "seedsafe_torch":
            found = {name for name in found if not name.startswith(ON_TENSORS.get(path.name, ("-",)))}
        assert found == set(), path


def test_that_an_adapter_reaches_deeper_would_be_noticed() -> None:
    allowed = (
        "from seedsafe import Compose, opencv\nfrom seedsafe.reading import KeyedReader\nimport seedsafe"
    )
    assert deeper(allowed) == set()
    for line in (
        "from seedsafe.keys.key import address",
        "import seedsafe.keys.key",
        "from seedsafe import key",
    ):
        assert deeper(line) <= {"seedsafe.keys.key", "key"} != set()
    assert deeper("from seedsafe.reading import _moved") == {"_moved"}


def named(source: str, names: set[str]) -> set[str]:
    """Return which of some packages a module names in its code or its strings; comments and docstrings are text."""
    tree = ast.parse(source)
    texts = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    words = " ".join(
        str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in texts
    )
    return {name for name in names if re.search(rf"\b{name}\b", words)}


def test_the_core_names_no_adapter() -> None:
    adapters = {path.parent.name for path in (ROOT / "adapters").glob("*/__init__.py")}
    for path in (ROOT / "seedsafe").rglob("*.py"):
        assert named(path.read_text(encoding="utf-8"), adapters) == set(), path


def test_that_the_core_names_an_adapter_would_be_noticed() -> None:
    assert named(
        '"""seedsafe_torch"""\nOWN = {"seedsafe_keras"}\n', {"seedsafe_torch", "seedsafe_keras"}
    ) == {"seedsafe_keras"}
