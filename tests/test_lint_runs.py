"""How often the linter runs a function: not once more for each way of calling it that cannot matter."""

from pathlib import Path

import pytest

from seedsafe_lint import lint
from seedsafe_lint.context import Context
from seedsafe_lint.index import Values
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.project import Project
from seedsafe_lint.values import STATIC, Const, Group, Opaque

USES = """
import torch, numpy as np

class Pictures(torch.utils.data.Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
    def __getitem__(self, i):
        picture = torch.load(str(i))
        {uses}
        return convert(self.rng.random(), None)
"""


def runs(monkeypatch: pytest.MonkeyPatch, folder: Path, source: str, name: str) -> tuple[int, list[str]]:
    """Return how often a function was run, and the codes of what was found."""
    counted = 0
    execute = Interpreter.execute

    def counting(self, body, frame):  # type: ignore[no-untyped-def]
        nonlocal counted
        counted += frame.function is not None and frame.function.name == name and body is frame.function.body
        return execute(self, body, frame)

    folder.mkdir(exist_ok=True)
    (folder / "data.py").write_text(source)
    with monkeypatch.context() as patch:
        patch.setattr(Interpreter, "execute", counting)
        found = lint([folder]).findings
    return counted, [finding.code for finding in found]


def kinds_of_pictures(many: int) -> str:
    """Return a file in which a function is given each pair of objects of some classes that cannot draw."""
    classes = "\n".join(
        f"class Kind{n}:\n    def __init__(self, data):\n        self.data = data\n    def size(self):\n        return len(self.data)"
        for n in range(many)
    )
    made = "\n        ".join(
        f"made = convert(convert(Kind{a}(picture), Kind{b}(made)), [Kind{b}])"
        if a
        else f"made = Kind{b}(picture)"
        for a in range(many)
        for b in range(many)
    )
    convert = "\ndef convert(data, like):\n    return type(like)(data) if like is not None else data\n"
    return classes + convert + USES.format(uses=made)


def test_objects_that_cannot_draw_are_not_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, found = runs(monkeypatch, tmp_path / "few", kinds_of_pictures(2), "convert")
    many, same = runs(monkeypatch, tmp_path / "many", kinds_of_pictures(9), "convert")
    assert found == same == ["SSF002"]
    assert many <= few + 2


LOUD = """
import numpy as np

class Helper:
    def __init__(self):
        self.made = True
    def twice(self):
        {body}
        return Helper()

def use(helper):
    return helper.{call}

class Data:
    def __init__(self):
        self.draw = Drawing()
    def __len__(self):
        return 1
    def __getitem__(self, index):
        helper = Helper()
        {change}
        return use(helper)

class Drawing:
    def __call__(self, image):
        return np.random.rand() + image
"""


@pytest.mark.parametrize(
    ("body", "call", "change", "found"),
    [
        ("pass", "twice()", "pass", []),
        ("np.random.rand()", "twice()", "pass", ["SSF001"]),
        ("use(Helper())", "twice()", "pass", []),
        ("pass", "twice()", "helper.twice = self.draw", []),  # the method of the class hides what is stored
        ("pass", "extra(3)", "helper.extra = self.draw", ["SSF001"]),
        ("pass", "extra(3)", "helper.extra = lambda x: np.random.rand()", ["SSF001"]),
        ("Other().go()", "twice()", "pass", ["SSF001"]),
    ],
)
def test_objects_that_can_draw_are_followed(
    tmp_path: Path, body: str, call: str, change: str, found: list[str]
) -> None:
    other = "\nclass Other:\n    def go(self):\n        Helper().twice()\n        np.random.shuffle([1])\n"
    (tmp_path / "data.py").write_text(LOUD.format(body=body, call=call, change=change) + other)
    codes = {finding.code for finding in lint([tmp_path / "data.py"]).findings}
    assert sorted(codes) == found


def test_containers_nest_three_deep_and_lose_nothing() -> None:
    group = Group((Const(0),))
    for number in range(1, 20):
        group = Group((group, Const(number), Opaque()))
    depth, held, inside = 0, set(), (group,)
    while inside:
        depth += 1
        held.update(item for outer in inside for item in outer.items)
        inside = tuple(item for outer in inside for item in outer.items if isinstance(item, Group))
    assert depth == 3
    assert {Const(number) for number in range(20)} <= held


def test_methods_that_nothing_calls_are_tried_without_a_finding(tmp_path: Path) -> None:
    body = "import cv2\n\nclass Helper:\n    def never(self):\n        cv2.setNumThreads(2)\n        np.random.seed(0)\n"
    uses = "picture = convert(Helper(), 1)"
    (tmp_path / "data.py").write_text(
        body + "\ndef convert(data, like):\n    return data\n" + USES.format(uses=uses)
    )
    assert [finding.code for finding in lint([tmp_path]).findings] == ["SSF002"]


def test_a_long_table_hides_nothing(tmp_path: Path) -> None:
    table = "TABLE = [" + "0, " * 16_000 + "]\n"
    source = "\ndef convert(data, like):\n    return data\n" + USES.format(uses="picture = TABLE[i]")
    (tmp_path / "data.py").write_text(table + source)
    assert [finding.code for finding in lint([tmp_path]).findings] == ["SSF002"]


CIRCLE = """
import torch, numpy as np

FIRST = FIRST_OF
FIRST_OF = FIRST

class Photos(torch.utils.data.Dataset):
    def __init__(self, size=FIRST):
        self.one = self.other
        self.other = self.one
        self.rng = np.random.default_rng(FIRST)
    def __getitem__(self, i):
        self.one.load(i)
        return self.rng.random()
"""


def test_names_and_attributes_defined_by_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(CIRCLE)
    report = lint([tmp_path])
    assert report.skipped == ()
    assert [finding.code for finding in report.findings] == ["SSF002"]


def test_an_action_runs_once_and_has_a_fixed_value_while_it_runs() -> None:
    context = Context(Project([]))
    ran: list[Values] = []

    def action() -> Values:
        ran.append(context.once("key", action))
        return (Const(1),)

    assert context.once("key", action) == context.once("key", action) == (Const(1),)
    assert ran == [STATIC]
    context.depth = 3
    assert context.once("deep", action, 2) == STATIC
    assert context.once("deep", lambda: (Const(2),), 3) == (Const(2),)


def test_a_method_that_draws_nothing_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(
        "import numpy as np\nfrom torch.utils.data import Dataset\n\n\nclass Data(Dataset):\n"
        "    def __init__(self):\n        self.rng = np.random.RandomState(0)\n\n"
        "    def __getitem__(self, index):\n        self.rng.get_state()\n        return index\n"
    )
    assert lint([tmp_path]).skipped == ()
