"""The golden maker appends, and refuses to change; and every public transform has golden decisions."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import known
import pytest
from cases import CASES, TRANSFORMS, Case, Golden

import seedsafe as ss

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
import make_golden

NEW = Golden(ss.RandomCrop(7, name="new"), (20, 20, 3))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = Path(shutil.copytree(known.GOLDEN, tmp_path / "golden"))
    few = {
        "RandomCrop",
        "two of a class, one named",
        "Blur",
        "BatchMix",
        "GridShuffle",
        "GaussianNoise variance",
        "LetterBox",
    }
    kept = {name: one for name, one in known.GOLDENS.items() if name in few}
    monkeypatch.setattr(known, "GOLDENS", kept)
    for file in copied.glob("*.json"):
        content = json.loads(file.read_text())
        for of in (content.get("pipelines", {}), content.get("decisions", {}), content.get("pixels", {})):
            for name in set(of) - few:
                del of[name]
        if file.name == "pixels.json":
            content = {name: content[name] for name in content if name in few}
        file.write_text(json.dumps(content))
    for file in copied.glob("architectures/*.json"):
        content = json.loads(file.read_text())
        file.write_text(make_golden.lines({name: one for name, one in content.items() if name in few}) + "\n")
    return copied


def contents(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*.json")}


def test_nothing_new_writes_nothing(folder: Path) -> None:
    before = contents(folder)
    make_golden.main(folder)
    assert contents(folder) == before


def test_a_new_pipeline_is_appended_and_the_old_text_stays(folder: Path) -> None:
    before = contents(folder)
    known.GOLDENS["a new one"] = "zz", NEW
    make_golden.main(folder)
    after = contents(folder)
    assert {name: after[name] for name in before} == before
    made = json.loads(after["zz.json"])
    assert [len(made[part]["a new one"]) for part in ("decisions", "pixels")] == [
        len(known.KEYS),
        2 * len(known.KEYS),
    ]
    known.GOLDENS["second"] = "zz", Golden(ss.HorizontalFlip(), (4, 4))
    make_golden.main(folder)
    again = json.loads(contents(folder)["zz.json"])
    assert again["decisions"]["a new one"] == made["decisions"]["a new one"]
    assert list(again["decisions"]) == ["a new one", "second"]


@pytest.mark.parametrize("change", ["parameter", "gone", "pixels", "of one architecture", "first file"])
def test_a_change_is_refused_and_nothing_is_written(
    change: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known.GOLDENS["a new one"] = "zz", NEW
    make_golden.main(folder)
    if change == "parameter":
        known.GOLDENS["a new one"] = "zz", Golden(ss.RandomCrop(8, name="new"), (20, 20, 3))
    elif change == "gone":
        del known.GOLDENS["a new one"]
    elif change == "pixels":
        monkeypatch.setattr(make_golden.pixels_known, "digests", lambda *_: [])
    elif change == "of one architecture":
        monkeypatch.setattr(make_golden.pixels_known, "architecture", lambda _: {"LetterBox": ["0"]})
    else:
        known.GOLDENS["RandomCrop"] = "crops", Golden(ss.RandomCrop((20, 31)), (37, 53, 3))
    known.GOLDENS["one more"] = "zzz", Golden(ss.HorizontalFlip(), (4, 4))
    before = contents(folder)
    with pytest.raises(ValueError, match=r"would become|no longer made"):
        make_golden.main(folder)
    assert contents(folder) == before


def test_a_machine_adds_to_its_own_architecture_and_leaves_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(folder)
    monkeypatch.setattr(make_golden.pixels_known, "HERE", "riscv64")
    make_golden.main(folder)
    after = contents(folder)
    assert list(json.loads(after.pop("architectures/riscv64.json"))) == ["LetterBox"]
    assert after == before


def without(cases: dict[str, Case]) -> list[str]:
    """Return the names of those whose transform stands in no golden pipeline."""
    goldens = {name: one for case in cases.values() for name, one in case.golden.items()}
    pipelines = [one.pipeline for name, one in goldens.items() if name not in known.NO_WHEEL]
    written = "".join(repr(one) for one in pipelines if isinstance(one, ss.Compose))
    missing = [name for name in TRANSFORMS if not re.search(rf"\b{name}\(", written)]
    return [name for name in missing if name not in known.NO_WHEEL]


def test_every_transform_has_golden_decisions() -> None:
    assert without(CASES) == ["Bridged"]  # it draws with somebody's own generator
    assert without({name: case for name, case in CASES.items() if name != "Blur"}) == ["Blur", "Bridged"]
