"""The linter as a whole: where findings stand, severity, suppression, files that cannot be read, several processes."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from programs import python

from seedsafe_lint import Config, Finding, Place, lint
from seedsafe_lint.index import Module, join
from seedsafe_lint.project import Project
from seedsafe_lint.rules import page
from seedsafe_lint.values import Const, Group, Inst

DATASET = """\
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return np.random.rand() + self.rng.normal()
"""


def findings(tmp_path: Path, source: str, **config: object) -> list[Finding]:
    file = tmp_path / "data.py"
    file.write_text(source, encoding="utf-8")
    return list(lint([file], config=Config(**config)).findings)  # type: ignore[arg-type]


def test_finding_stands_on_the_draw_and_names_where_the_generator_was_made(tmp_path: Path) -> None:
    first, second = findings(tmp_path, DATASET)
    path = str(tmp_path / "data.py")
    assert (first.code, first.place) == ("SSF001", Place(path, 10, 16))
    assert (second.code, second.place) == ("SSF002", Place(path, 10, 35))
    assert second.related == Place(path, 7, 20)
    assert "made by np.random.default_rng, line 7" in second.message


def test_one_finding_a_call_however_many_ways_lead_to_it(tmp_path: Path) -> None:
    source = DATASET.replace("self.rng.normal()", "0") + "\n\nclass More(Images):\n    pass\n"
    assert [f.code for f in findings(tmp_path, source)] == ["SSF001"]


@pytest.mark.parametrize(
    ("imports", "severity", "words"),
    [
        ("from torch.utils.data import Dataset as Base", "warning", "torch >= 1.9 seeds it in each worker"),
        ("from keras.utils import Sequence as Base", "error", "use_multiprocessing"),
        ("from mxnet.gluon.data import Dataset as Base", "error", "copies of the same state"),
    ],
)
def test_severity_and_text_follow_the_framework(
    tmp_path: Path, imports: str, severity: str, words: str
) -> None:
    source = f"import numpy as np\n{imports}\n\n\nclass A(Base):\n    def __getitem__(self, i):\n"
    (finding,) = findings(tmp_path, source + "        return np.random.rand()\n")
    assert finding.severity == severity
    assert words in finding.message


USED = "from data import Images\n\nprint(Images()[0])\n"
MENTIONED = "from data import (\n    Images,\n)\n\n__all__ = [\n    'Images',\n]\n# Images\n"


@pytest.mark.parametrize(
    ("other", "severities"),
    [
        (USED, ["warning", "error"]),
        ("import data\n\n\nclass More(data.Images):\n    pass\n", ["warning", "error"]),
        ('CONFIG = dict(type="Images")\n', ["warning", "error"]),
        (MENTIONED, ["note", "note"]),
        ("x = 1\n", ["note", "note"]),
    ],
)
def test_what_nothing_in_a_tree_uses_is_a_note(tmp_path: Path, other: str, severities: list[str]) -> None:
    (tmp_path / "data.py").write_text(DATASET)
    (tmp_path / "other.py").write_text(other)
    found = lint([tmp_path]).findings
    assert [f.severity for f in found] == severities
    assert all(("nothing in these files uses Images" in f.message) == (f.severity == "note") for f in found)
    assert [f.severity for f in lint([tmp_path / "data.py"]).findings] == ["warning", "error"]
    (tmp_path / "data.py").write_text(DATASET.replace("class Images", "@register\nclass Images"))
    assert [f.severity for f in lint([tmp_path]).findings] == ["warning", "error"]


def test_a_draw_of_a_used_class_and_an_unused_one_keeps_its_severity(tmp_path: Path) -> None:
    base = "import numpy as np\nfrom torch.utils.data import Dataset\n\n\ndef f():\n    return np.random.rand()\n"
    classes = "".join(
        f"\n\nclass {name}(Dataset):\n    def __getitem__(self, i):\n        return f()\n" for name in "ABC"
    )
    (tmp_path / "data.py").write_text(base + classes)
    (tmp_path / "train.py").write_text("from data import B\n\nprint(B()[0])\n")
    assert [f.severity for f in lint([tmp_path]).findings] == ["warning"]


@pytest.mark.parametrize("code", ["SSF013", "SSF014"])
def test_each_rule_about_a_class_is_a_note_where_nothing_uses_it(tmp_path: Path, code: str) -> None:
    example = re.search(r"^## Example\n+```python\n(.*?)^```", page(code), re.MULTILINE | re.DOTALL)
    assert example
    (tmp_path / "data.py").write_text(example[1])
    (tmp_path / "other.py").write_text("x = 1\n")
    config = Config(select=(code,))
    assert {f.severity for f in lint([tmp_path], config=config).findings} == {"note"}
    names = re.findall(r"^class (\w+)", example[1], re.MULTILINE)
    (tmp_path / "other.py").write_text(
        f"import data\n\nprint({', '.join(f'data.{name}' for name in names)})\n"
    )
    assert lint([tmp_path], config=config).findings == lint([tmp_path / "data.py"], config=config).findings


def test_an_old_torch_repeats_numbers(tmp_path: Path) -> None:
    assert [f.severity for f in findings(tmp_path, DATASET)] == ["warning", "error"]
    assert [f.severity for f in findings(tmp_path, DATASET, torch="1.8.1")] == ["error", "error"]
    assert [f.severity for f in findings(tmp_path, DATASET, torch="1.13")] == ["warning", "error"]


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("# noqa", []),
        ("# noqa: SSF001", ["SSF002"]),
        ("# NOQA:SSF001,SSF002", []),
        ("# noqa: E501, SSF002", ["SSF001"]),
        ("# noqa: E501", ["SSF001", "SSF002"]),
        ("# type: ignore  # noqa: SSF002", ["SSF001"]),
        ("# nothing", ["SSF001", "SSF002"]),
    ],
)
def test_noqa(tmp_path: Path, comment: str, left: list[str]) -> None:
    source = DATASET.replace("self.rng.normal()", f"self.rng.normal()  {comment}")
    assert [f.code for f in findings(tmp_path, source)] == left


def test_noqa_in_a_string_is_no_comment(tmp_path: Path) -> None:
    source = DATASET.replace("self.rng.normal()", "self.rng.normal() + len('# noqa')")
    assert [f.code for f in findings(tmp_path, source)] == ["SSF001", "SSF002"]
    source = source.replace("len('# noqa')", "len('# noqa')  # noqa: SSF002")
    assert [f.code for f in findings(tmp_path, source)] == ["SSF001"]


def test_noqa_on_the_last_line_of_a_call(tmp_path: Path) -> None:
    source = DATASET.replace(
        "np.random.rand() + self.rng.normal()", "np.random.rand(\n            3\n        )  # noqa"
    )
    assert findings(tmp_path, source) == []


@pytest.mark.parametrize("comment", ["# seedsafe: noqa", "# seedsafe: noqa: SSF001, SSF002"])
def test_noqa_for_a_file(tmp_path: Path, comment: str) -> None:
    assert findings(tmp_path, f"{comment}\n{DATASET}") == []


def test_noqa_in_another_file_than_the_dataset(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(
        "import numpy as np\n\n\ndef f():\n    return np.random.rand()  # noqa\n"
    )
    (tmp_path / "data.py").write_text(
        "import helpers\nfrom torch.utils.data import Dataset\n\n\nclass A(Dataset):\n"
        "    def __getitem__(self, i):\n        return helpers.f()\n"
    )
    assert lint([tmp_path]).findings == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"print 'hello'\n", "Python 2 source, line 1"),
        (b"def f(:\n    pass\n", "syntax error, line 1"),
        (b"x = 1\n\0\n", "null bytes"),
        (b"# coding: utf-8\nx = '\xff\xfe'\n", "wrong encoding"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "line 1"),
        (b"x = " + b"-" * 100_000 + b"1\n", "cannot be parsed"),
        (b"x = 0\n" * 1_800_000, "taken for generated code"),
    ],
    ids=["python2", "syntax", "null", "bytes", "nested", "deep", "large"],
)
def test_file_that_cannot_be_read_is_reported_and_skipped(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "bad.py").write_bytes(data)
    (tmp_path / "good.py").write_text(DATASET)
    report = lint([tmp_path])
    assert [item.path for item in report.skipped] == [str(tmp_path / "bad.py")]
    assert reason in report.skipped[0].reason
    assert "\n" not in report.skipped[0].reason
    assert [f.code for f in report.findings] == ["SSF001", "SSF002"]
    assert report.files == 2


def test_imports_of_an_unreadable_file_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("def broken(:\n")
    (tmp_path / "data.py").write_text(f"from helpers import anything\n{DATASET}")
    assert len(lint([tmp_path]).findings) == 2


def test_latin1_and_byte_order_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"# -*- coding: latin-1 -*-\nname = '\xe9'\n" + DATASET.encode())
    (tmp_path / "b.py").write_bytes(b"\xef\xbb\xbf" + DATASET.replace("\n", "\r\n").encode())
    report = lint([tmp_path])
    assert report.skipped == ()
    assert [(Path(f.place.path).name, f.place.line) for f in report.findings] == [
        ("a.py", 12),
        ("a.py", 12),
        ("b.py", 10),
        ("b.py", 10),
    ]


def test_nothing_of_the_analysed_code_is_imported(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import does_not_exist\nraise SystemExit(3)\n" + DATASET)
    assert len(lint([tmp_path]).findings) == 2
    code = "import sys; from seedsafe_lint import lint; lint([sys.argv[1]]); print(sorted(sys.modules))"
    result = python("-c", code, tmp_path)
    loaded = set(result.stdout.replace("'", "").strip("[]\n").split(", "))
    assert not loaded & {"torch", "tensorflow", "keras", "cv2", "rich", "does_not_exist"}


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("import numpy as np\n\n\ndef f():\n    return np.random.rand()\n")
    for i in range(70):
        base = DATASET.replace("np.random.rand()", "helpers.f()") if i % 2 else DATASET
        (tmp_path / f"data{i:02}.py").write_text(f"import helpers\n{base}")
    (tmp_path / "broken.py").write_text("def f(:\n")
    code = (
        "import pickle, sys\nfrom seedsafe_lint import lint\n"
        "if __name__ == '__main__':\n"
        "    sys.stdout.buffer.write(pickle.dumps(lint([sys.argv[1]], jobs=2)))\n"
    )
    script = tmp_path / "run.py"
    script.write_text(code)
    result = python(script, tmp_path, text=False)
    parallel, serial = pickle.loads(result.stdout), lint([tmp_path])
    assert parallel == serial
    assert len(serial.findings) == 35 * 2 + 35 + 1


def test_cycles_of_imports_and_bases_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import *\nfrom b import B\n\n\nclass A(B):\n    x = y\n")
    (tmp_path / "b.py").write_text("from a import *\nfrom a import A\n\n\nclass B(A):\n    y = x\n")
    (tmp_path / "c.py").write_text(
        "x = y\ny = x\n\n\nclass C(C):\n    def __getitem__(self, i):\n        return self[i]\n"
    )
    assert lint([tmp_path]).findings == ()


def test_api_documents_its_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        lint([tmp_path / "missing.py"])
    with pytest.raises(ValueError, match="select got 'X', which is not a rule"):
        lint([], config=Config(select=("X",)))


@pytest.mark.parametrize("name", ["no-such-codec", "utf8mb4", "hex", "rot13"])
def test_file_with_a_coding_line_that_means_no_text_is_read_as_utf8(tmp_path: Path, name: str) -> None:
    (tmp_path / "data.py").write_text(f"# coding: {name}\n# größer\n{DATASET}", encoding="utf-8")
    report = lint([tmp_path])
    assert not report.skipped
    assert [f.code for f in report.findings] == ["SSF001", "SSF002"]


def test_file_without_an_import_of_a_framework_has_that_of_its_package(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "data").mkdir(parents=True)
    for folder in (package, package / "data"):
        (folder / "__init__.py").write_text("")
    (package / "train.py").write_text(
        "import torch\nfrom package.data.transforms import Noise\n\nNoise()(0)\n"
    )
    noise = "import numpy as np\n\n\nclass Noise:\n    def __call__(self, image):\n        return np.random.rand()\n"
    for folder in (package / "data", tmp_path / "alone"):
        folder.mkdir(exist_ok=True)
        (folder / "transforms.py").write_text(noise)
    for given in (package, package / "data" / "transforms.py"):
        assert [(f.code, f.severity) for f in lint([given]).findings] == [("SSF001", "warning")]
    assert [(f.code, f.severity) for f in lint([tmp_path / "alone"]).findings] == [("SSF001", "error")]


def test_a_failure_of_the_linter_is_told_and_the_other_files_are_linted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from seedsafe_lint import engine

    lint_file = engine.lint_file

    def fails(module: Module, *arguments: Any, **options: Any) -> Any:
        if module.path.endswith("a.py"):
            raise KeyError("bug")
        return lint_file(module, *arguments, **options)

    monkeypatch.setattr(engine, "lint_file", fails)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(DATASET)
    report = lint([tmp_path])
    assert [(item.path, "KeyError('bug')" in item.reason) for item in report.skipped] == [
        (str(tmp_path / "a.py"), True)
    ]
    assert {f.place.path for f in report.findings} == {str(tmp_path / "b.py")}


def test_an_object_made_in_many_ways_is_one_alternative(tmp_path: Path) -> None:
    file = tmp_path / "box.py"
    file.write_text("class Box:\n    pass\n", encoding="utf-8")
    (box,) = Project([file]).load(file).classes.values()
    made = [Inst(box, (("size", (Const(size),)),), stored=False) for size in range(30)]
    stored = Inst(box, (("size", (Const(1),)),))
    assert join((stored,), *((one,) for one in made)) == (stored, Inst(box, (), stored=False))
    (group,) = join(*((Group((one,)),) for one in made))
    assert group == Group((Inst(box, (), stored=False),))
    assert len(join(*((Const(number),) for number in range(5)))) == 5
