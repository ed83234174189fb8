"""The capsule: a part of it here, and what is said where it cannot be compared. `make capsule` compares all of it, in many environments."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import capsule
import pytest
from cases import TRANSFORMS

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import capsule_neighbours as neighbours
import compare_capsule as compare
import make_capsule

WHOLE = capsule.read()
HERE = compare.environment()


def test_a_part_of_it_is_equal_here() -> None:
    found = compare.compared(WHOLE, 3000)
    assert [row for row in found["differing"] if row[5]] == []
    assert sum(tried for _, tried in found["rows"].values()) > 2500


def test_it_has_enough_of_everything() -> None:
    of_kinds: Counter[str] = Counter()
    of_rows: Counter[str] = Counter()
    for row in WHOLE.rows:
        for kind, hashes in row.hashes.items():
            of_kinds[kind] += len(hashes) // capsule.HASH
            of_rows[row.of] += len(hashes) // capsule.HASH
    assert sum(of_kinds.values()) >= 100_000
    assert set(of_kinds) == set(capsule.KINDS)
    assert min(of_kinds.values()) >= 1000
    assert set(TRANSFORMS) <= set(of_rows)
    assert min(of_rows.values()) >= 300


@pytest.mark.parametrize("kind", ["uint8", "targets float32", "batch uint8", "video"])
def test_a_sample_is_a_function_of_its_number(kind: str) -> None:
    one = capsule.made("Rotate(20)", kind)
    ascending = [capsule.sample(one, kind, number) for number in range(6)]
    assert [capsule.sample(one, kind, number) for number in reversed(range(6))] == ascending[::-1]
    assert len({found for found, _ in ascending}) > 3


def test_another_byte_is_noticed() -> None:
    row = next(row for row in WHOLE.rows if row.of == "HorizontalFlip" and "uint8" in row.hashes)
    spoiled = bytearray(row.hashes["uint8"])
    spoiled[3 * capsule.HASH] ^= 1
    other = row._replace(hashes={"uint8": bytes(spoiled)})
    found = compare.compared(WHOLE._replace(rows=[other]))
    assert [[*found["differing"][0][3:]]] == [[1, len(spoiled) // capsule.HASH, True, [3]]]


@pytest.mark.parametrize(
    ("declared", "change", "surprise"),
    [
        (("every machine", ""), {"OpenCV": "9"}, True),
        (("every machine", ""), {"machine": "other"}, True),
        (("one architecture", "OpenCV"), {"OpenCV": "9"}, True),
        (("one architecture", "OpenCV"), {"machine": "other"}, False),
        (("one build", "OpenCV"), {}, True),
        (("one build", "OpenCV"), {"OpenCV": "9"}, False),
        (("one build", "OpenCV"), {"NumPy": "9"}, True),
        (("one build", "OpenCV and NumPy"), {"NumPy": "9"}, False),
        (("one build", "OpenCV"), {"OPENCV_CPU_DISABLE": "AVX2"}, False),
        (("one build", "OpenCV"), {"SEEDSAFE_KERNELS": "0"}, True),
        (("one architecture", "OpenCV"), {"OPENCV_CPU_DISABLE": "AVX2"}, True),
        (("one build", "SciPy"), {"machine": "other"}, False),
    ],
)
def test_what_is_declared_is_no_surprise(
    declared: tuple[str, str], change: dict[str, str], surprise: bool
) -> None:
    assert compare.surprising({declared}, WHOLE.made, WHOLE.made | change) == surprise


def cut(text: str) -> str:
    return text[: len(text) // 2]


def of_another_contract(text: str) -> str:
    head, _, rest = text.partition("\n")
    return f"{json.dumps(json.loads(head) | {'contract': 2})}\n{rest}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (cut, "below its first line, and has another: it was changed, or copied in part"),
        (lambda text: text.replace("uint8", "uint9", 1), "it was changed, or copied in part"),
        (lambda text: text.partition("\n")[2], "must begin with its SHA-256, and does not"),
        (of_another_contract, "must be of version 1 of the contract, got 2"),
    ],
)
def test_a_changed_file_is_refused(
    change: Callable[[str], str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, result = tmp_path / "capsule.jsonl", tmp_path / "result.json"
    file.write_text(change(capsule.written(WHOLE.made, WHOLE.rows[:9])))
    assert compare.main(["--capsule", str(file), "--result", str(result)]) == 2
    assert told in capsys.readouterr().err
    assert not result.exists()


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(["--capsule", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_it_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "capsule.jsonl"
    file.write_text("kept")
    assert make_capsule.make(file) == 1
    assert "exists, and never changes" in capsys.readouterr().out
    assert file.read_text() == "kept"


@pytest.fixture
def few(tmp_path: Path) -> list[str]:
    """Return the arguments for a small capsule and a file of results with something in it."""
    file, result = tmp_path / "capsule.jsonl", tmp_path / "result.json"
    rows = [
        row._replace(hashes={"uint8": row.hashes["uint8"][:16]})
        for row in WHOLE.rows
        if "uint8" in row.hashes
    ]
    file.write_text(capsule.written(WHOLE.made, rows[:4]))
    result.write_text("{}")
    return ["--capsule", str(file), "--result", str(result)]


def test_a_missing_library_is_told(
    few: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: Any) -> Any:
        raise ImportError("No module named 'cv2'")

    monkeypatch.setattr(capsule, "made", missing)
    assert compare.main(few) == 2
    assert "not run: 8 samples: No module named 'cv2'" in capsys.readouterr().out


def test_an_interrupted_run_writes_nothing(
    few: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(capsule, "sample", interrupted)
    assert compare.main(few) == 130
    assert "interrupted: nothing was written" in capsys.readouterr().err
    assert Path(few[-1]).read_text() == "{}"


def test_a_whole_run_writes_what_it_found(few: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(few) == 0
    assert "8 of 8 samples have the same bytes" in capsys.readouterr().out.replace("  ", " ")
    assert json.loads(Path(few[-1]).read_text())["here"] == HERE


class TestNeighbours:
    """Environments are made by `make capsule` alone: here what is said of them."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(neighbours, "FOLDER", tmp_path)
        monkeypatch.setattr(neighbours, "PAGE", tmp_path / "page.md")
        neighbours.PAGE.write_text(f"before\n{neighbours.BEGIN}\nold\n{neighbours.END}\nafter\n")

    def result(self, name: str, equal: int, surprise: bool = False) -> None:
        differing = [["Rotate", "Rotate(20)", "uint8", 9 - equal, 9, surprise, [0]]] if equal < 9 else []
        rows = {"Rotate": [equal, 9], "D4": [9, 9]}
        (neighbours.FOLDER / f"{name}.json").write_text(json.dumps({"rows": rows, "differing": differing}))

    def test_the_page(self) -> None:
        self.result("OpenCV 4.13", 6)
        self.result("as it was made", 9)
        assert neighbours.main(["--page"]) == 0
        text = neighbours.PAGE.read_text()
        assert text.startswith("before\n")
        assert text.endswith("after\n")
        assert "old" not in text
        assert "| OpenCV 4.13 | 15 of 18 | 1 of 2 | none |" in text
        assert "| as it was made | 18 of 18 | 2 of 2 | none |" in text
        assert "| `Rotate` | OpenCV 4.13: 33.3% |" in text

    def test_without_results_the_page_stays(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert neighbours.main(["--page"]) == 2
        assert "has no results" in capsys.readouterr().err
        assert "old" in neighbours.PAGE.read_text()

    def test_a_page_without_a_place_stays(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.result("as it was made", 9)
        neighbours.PAGE.write_text("nothing")
        assert neighbours.main(["--page"]) == 2
        assert "between which the table goes" in capsys.readouterr().err
        assert neighbours.PAGE.read_text() == "nothing"

    def test_what_was_found_is_not_overwritten(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.result("as it was made", 7)
        assert neighbours.main(["as it was made"]) == 0
        assert "--again runs it again" in capsys.readouterr().out
        assert json.loads((neighbours.FOLDER / "as it was made.json").read_text())["rows"]["Rotate"] == [7, 9]

    def test_a_python_that_is_not_there_is_told(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(neighbours.NEIGHBOURS, "Python 9", neighbours.Neighbour("python9"))
        assert neighbours.main(["Python 9"]) == 0
        assert "Python 9 is not compared: there is no python9 here" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["Pillow 10"], "there is no Pillow 10: names are"),
            (
                ["--with", "pillow"],
                "--with takes a library and its version, as in pillow==14.0.0, got pillow",
            ),
        ],
    )
    def test_wrong_arguments(
        self, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            neighbours.main(arguments)
        assert told in capsys.readouterr().err
