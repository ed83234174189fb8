"""The golden maker appends, and refuses to change; and every public transform has golden decisions."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import known
import pytest

import seedsafe as ss
from seedsafe.pipeline.primitive import marks_of

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
import make_golden

NEW = """
import seedsafe as ss
PIPELINES = {"a new one": (ss.Compose([ss.RandomCrop(7, name="new")]), (20, 20, 3))}
EXACT = {"a new one"}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = Path(shutil.copytree(known.GOLDEN, tmp_path / "golden"))
    monkeypatch.setattr(known, "GOLDEN", copied)
    return copied


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.glob("*.json")}


def test_nothing_new_writes_nothing(folder: Path) -> None:
    before = contents(folder)
    make_golden.main(folder)
    assert contents(folder) == before


def test_a_new_pipeline_is_appended_and_the_old_text_stays(folder: Path) -> None:
    before = contents(folder)
    (folder / "zz.py").write_text(NEW)
    make_golden.main(folder)
    after = contents(folder)
    assert {name: after[name] for name in before} == before
    made = json.loads(after["zz.json"])
    assert [len(made[part]["a new one"]) for part in ("decisions", "pixels")] == [
        len(known.KEYS),
        2 * len(known.KEYS),
    ]
    (folder / "zz.py").write_text(NEW + 'PIPELINES["second"] = (ss.Compose([ss.HorizontalFlip()]), (4, 4))')
    make_golden.main(folder)
    again = json.loads(contents(folder)["zz.json"])
    assert again["decisions"]["a new one"] == made["decisions"]["a new one"]
    assert list(again["decisions"]) == ["a new one", "second"]


@pytest.mark.parametrize("change", ["parameter", "gone", "pixels", "first file"])
def test_a_change_is_refused_and_nothing_is_written(
    change: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "zz.py").write_text(NEW)
    make_golden.main(folder)
    if change == "parameter":
        (folder / "zz.py").write_text(NEW.replace("RandomCrop(7", "RandomCrop(8"))
    elif change == "gone":
        (folder / "zz.py").write_text("PIPELINES = {}")
    elif change == "pixels":
        monkeypatch.setattr(make_golden.pixels_known, "family_pixels", lambda family: {"a new one": []})
        monkeypatch.setattr(make_golden.pixels_known, "pixels", lambda: known.stored("pixels.json"))
    else:
        crop: Any = (ss.Compose([ss.RandomCrop((20, 31))]), known.IMAGE)
        monkeypatch.setitem(known.PIPELINES, "RandomCrop", crop)
    (folder / "zzz.py").write_text(NEW)
    before = contents(folder)
    with pytest.raises(ValueError, match=r"would become|no longer made"):
        make_golden.main(folder)
    assert contents(folder) == before


def test_every_public_transform_has_golden_decisions() -> None:
    pipelines = [
        *known.PIPELINES.values(),
        *(one for f in known.families().values() for one in f.pipelines.values()),
    ]
    written = "".join(
        json.dumps(pipeline.to_dict()) for pipeline, _ in pipelines if isinstance(pipeline, ss.Compose)
    )
    kinds = {name: getattr(ss, name) for name in ss.__all__ if isinstance(getattr(ss, name), type)}
    public = [name for name, kind in kinds.items() if issubclass(kind, ss.Transform) and marks_of(kind).own]
    missing = [name for name in public if f'"transform": "{name}"' not in written and name != "Bridged"]
    assert not missing
