"""No input makes the linter crash: random programs, random bytes, and real files with random damage."""

import ast
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from seedsafe_lint import Config, lint
from seedsafe_lint.engine import lint_file
from seedsafe_lint.index import Module
from seedsafe_lint.project import Project

ALL = Config(select=("ALL",))
CORPUS = sorted((Path(__file__).parent / "lint_corpus").rglob("*.py"))
LIBRARY = sorted(Path(ast.__file__).parent.glob("[a-d]*.py"))

names = st.sampled_from(["np", "self", "rng", "x", "f", "torch", "Base", "index", "super", "random", "cls"])
attributes = st.sampled_from(
    ["random", "rand", "rng", "default_rng", "seed", "shuffle", "x", "f", "__getitem__", "data"]
)
literals = st.sampled_from(["0", "None", "'a'", "1.5", "...", "[]", "{}", "()", "b''", "True"])
draws = st.sampled_from(
    ["np.random.rand()", "self.rng.normal()", "np.random.default_rng(0)", "self.f(x)", "rand(2)"]
)
atoms = st.one_of(names, literals, draws)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, attributes).map("({0[0]}).{0[1]}".format),
        st.tuples(inner, inner).map("({0[0]})({0[1]})".format),
        st.tuples(inner, inner, inner).map("({0[0]})(*({0[1]}), rng={0[2]})".format),
        st.tuples(inner, inner).map("({0[0]})[{0[1]}]".format),
        st.tuples(inner, inner).map("({0[0]}) + ({0[1]})".format),
        st.tuples(inner, inner).map("({0[0]}) or ({0[1]})".format),
        st.tuples(inner, inner).map("({0[0]}) is None or not ({0[1]})".format),
        st.tuples(inner, inner, inner).map("({0[0]}) if ({0[1]}) else ({0[2]})".format),
        st.tuples(inner, names, inner).map("[({0[0]}) for {0[1]} in ({0[2]})]".format),
        st.tuples(names, inner).map("(lambda {0[0]}=None: {0[1]})".format),
        st.tuples(names, inner).map("({0[0]} := {0[1]})".format),
        st.tuples(inner, inner).map("[{0[0]}, *({0[1]})]".format),
        names.map('f"{{{}.random.rand():>{{x}}}}"'.format),
        inner.map("(yield {})".format),
    )


expressions = st.recursive(atoms, grown, max_leaves=8)
lines = st.one_of(
    expressions,
    st.tuples(names, expressions).map("{0[0]} = {0[1]}".format),
    st.tuples(names, attributes, expressions).map("{0[0]}.{0[1]} = {0[2]}".format),
    st.tuples(names, attributes, expressions).map("{0[0]}.{0[1]} += {0[2]}".format),
    expressions.map("return {}".format),
    st.tuples(names, expressions).map("for {0[0]} in {0[1]}: break".format),
    st.tuples(expressions, names, expressions).map("with {0[0]} as {0[1]}: {0[2]}".format),
    st.tuples(expressions, expressions).map("if {0[0]}: {0[1]}\n        else: pass".format),
    st.tuples(expressions, expressions).map("while {0[0]}: {0[1]}".format),
    names.map("global {}".format),
    st.tuples(names, names).map("import {0[0]}.{0[1]} as z".format),
    names.map("del {}".format),
    st.tuples(expressions, expressions).map("try: {0[0]}\n        except x as e: {0[1]}".format),
    st.tuples(expressions, expressions).map("match {0[0]}:\n            case [x, *rng]: {0[1]}".format),
)


@st.composite
def modules(draw: st.DrawFn) -> str:
    methods = ["__getitem__", *draw(st.lists(attributes, max_size=4))]
    parts = [
        "import numpy as np",
        "from numpy.random import *",
        "from torch.utils.data import Dataset as Base",
    ]
    parts += draw(st.lists(st.tuples(names, expressions).map("{0[0]} = {0[1]}".format), max_size=2))
    parts.append(f"class C({draw(st.sampled_from(['Base', 'Base', 'C', 'np.random', 'Base[int]']))}):")
    parts.append("    rng = np.random.default_rng(0)")
    for method in methods:
        body = draw(st.lists(lines, min_size=1, max_size=4))
        parts.append(f"    def {method}(self, index={draw(literals)}, *x, **f):")
        parts += [f"        {line}" for line in body]
    return "\n".join(parts) + "\n"


@given(modules())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_any_program(source: str) -> None:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        assume(False)
    lint_file(Module("fuzz.py", source, tree), Project([]), set())


@given(st.binary(max_size=400))
@settings(max_examples=200)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "data.py"
    file.write_bytes(data)
    lint([file], config=ALL)


def damaged(text: str, rng: random.Random) -> str:
    """The text with some of its lines, or some characters, dropped, doubled, swapped or changed."""
    rows = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
        match rng.randrange(5):
            case 0:
                del rows[min(i, j) : max(i, j) - len(rows) // 2]
            case 1:
                rows[i], rows[j] = rows[j], rows[i]
            case 2:
                rows.insert(i, rows[j])
            case 3:
                words = rows[i].split(" ")
                rng.shuffle(words)
                rows[i] = " ".join(words)
            case _:
                rows[i] = rows[i].replace(
                    rng.choice("()[]:=.,"), rng.choice(["", "(", ")", ".", ":", " np.random "])
                )
        rows = rows or [""]
    return "\n".join(rows)


@pytest.mark.parametrize("seed", range(10))
def test_damaged_real_files(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for number, file in enumerate([*rng.sample(CORPUS, 25), *rng.sample(LIBRARY, 3)]):
        text = file.read_text(encoding="utf-8")
        (tmp_path / f"case{number}.py").write_text(damaged(text, rng), encoding="utf-8")
    lint([tmp_path], config=ALL)


def test_deep_programs_that_parse(tmp_path: Path) -> None:
    chain = "x" + ".f(np.random.rand())" * 60
    nested = "".join(f"{'    ' * i}if x:\n" for i in range(1, 90)) + "    " * 90 + "x = 1\n"
    calls = "\n".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x)\n" for i in range(300))
    head = "import numpy as np\nfrom torch.utils.data import Dataset\n\n\nclass D(Dataset):\n    def __getitem__(self, x):\n"
    (tmp_path / "chain.py").write_text(f"{head}        return {chain}\n")
    (tmp_path / "nested.py").write_text(f"def f(x):\n{nested}")
    (tmp_path / "calls.py").write_text(f"{head}        return f0(x)\n\n\n{calls}")
    (tmp_path / "sum.py").write_text(f"{head}        return {' + '.join(['np.random.rand()'] * 900)}\n")
    lint([tmp_path], config=ALL)
