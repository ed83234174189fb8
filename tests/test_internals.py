"""What Python and other libraries keep inside is a last resort: each file that uses any of it is in internals.toml, with the reason."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("seedsafe", "adapters", "tools")
LISTED: dict[str, Any] = tomllib.loads((ROOT / "tests" / "internals.toml").read_text(encoding="utf-8"))
OWN: list[str] = LISTED.pop("own")

ATTRIBUTES = {
    **dict.fromkeys(("_getframe", "_current_frames", "currentframe", "walk_stack", "tb_frame"), "frames"),
    **dict.fromkeys(
        ("f_back", "f_code", "f_globals", "f_locals", "f_lasti", "settrace", "setprofile"), "frames"
    ),
    # what the library's own files hand on of frames
    **dict.fromkeys(
        ("frames_of_threads", "callers_of", "fetch_under_way", "names_in", "objects_in"), "frames"
    ),
    **dict.fromkeys(("objects_in_threads", "looked_at_by_keras"), "frames"),
    **dict.fromkeys(("co_code", "co_consts", "co_names", "get_instructions"), "bytecode"),
    **dict.fromkeys(("get_objects", "get_referrers", "get_referents"), "gc"),
    "getrefcount": "refcounts",
    **dict.fromkeys(("from_address", "pythonapi", "CDLL", "ctypeslib"), "memory"),
}
MODULES = {"dis": "bytecode", "opcode": "bytecode", "ctypes": "memory"}
CALLS = {"eval": "eval", "exec": "eval"}
KINDS = {*ATTRIBUTES.values(), *MODULES.values(), *CALLS.values(), "privates", "patches"}
DOCUMENTED = {"_asdict", "_exit", "_fields", "_fields_", "_make", "_replace"}
"""Names with an underscore that their libraries document."""
PRIVATE = re.compile(r"_[a-z]\w*$")


def trees() -> dict[str, ast.Module]:
    """Return the files of the house, parsed."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def own_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a file gives to what is its own: it may use those with an underscore anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                yield node.attr
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg or ""


def imported(tree: ast.Module) -> set[str]:
    """Return the names by which a file knows other libraries, and what is theirs."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) or (
            isinstance(node, ast.ImportFrom) and not str(node.module).startswith("seedsafe")
        ):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return found


def is_private(name: object, own: set[str]) -> bool:
    return bool(PRIVATE.match(str(name))) and name not in own | DOCUMENTED | set(ATTRIBUTES)


def root_of(node: ast.expr) -> str | None:
    """Return the name that an expression with dots begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def used_by_attribute(node: ast.Attribute, own: set[str], theirs: set[str]) -> Iterator[str]:
    if node.attr in ATTRIBUTES:
        yield ATTRIBUTES[node.attr]
    elif is_private(node.attr, own):
        yield "privates"
    if not isinstance(node.ctx, ast.Load) and root_of(node) in theirs:
        yield "patches"


def used_by_call(node: ast.Call, own: set[str]) -> Iterator[str]:
    name = root_of(node.func) if isinstance(node.func, ast.Name) else None
    yield from (kinds[name] for kinds in (CALLS, ATTRIBUTES) if name in kinds)
    if name in ("getattr", "hasattr", "setattr", "delattr") and len(node.args) > 1:
        if isinstance(node.args[1], ast.Constant) and is_private(node.args[1].value, own):
            yield "privates"
        if name in ("setattr", "delattr") and root_of(node.args[0]) != "self":
            yield "patches"
    elif name in ("setattr", "delattr"):  # its arguments stand in a tuple
        yield "patches"


def used(tree: ast.Module, own: set[str]) -> Iterator[str]:
    """Yield the kinds of internals that a file uses."""
    theirs = imported(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute():
                yield from used_by_attribute(node, own, theirs)
            case ast.Call():
                yield from used_by_call(node, own)
            case ast.Import(names=names):
                yield from (MODULES[one.name] for one in names if one.name in MODULES)
            case ast.ImportFrom(module=str(module)) if module in MODULES:
                yield MODULES[module]


def found() -> dict[str, set[str]]:
    """Return which kinds of internals each file uses."""
    parsed = trees()
    own = {name for tree in parsed.values() for name in own_names(tree)}
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for path, tree in parsed.items():
        for kind in used(tree, own):
            kinds[path].add(kind)
    return kinds


FOUND = found()


def test_each_use_is_listed() -> None:
    unlisted = {
        (path, kind) for path, kinds in FOUND.items() for kind in kinds if kind not in LISTED.get(path, ())
    }
    assert unlisted - {(path, "patches") for path in OWN} == set(), (
        "internals of Python or of others: find another way, or give the reason in tests/internals.toml"
    )


def test_each_entry_is_used() -> None:
    gone = [
        (path, kind)
        for path, entries in LISTED.items()
        for kind, entry in entries.items()
        if kind not in FOUND.get(path, ()) and not ("text" in entry and stands_in(path, entry["text"]))
    ]
    assert gone == [], "these lines of tests/internals.toml can go"
    assert [path for path in OWN if "patches" not in FOUND.get(path, ())] == []


def stands_in(path: str, text: str) -> bool:
    return (ROOT / path).exists() and text in (ROOT / path).read_text(encoding="utf-8")


def test_each_entry_says_why_where_and_what_happens_otherwise() -> None:
    for path, entries in LISTED.items():
        assert set(entries) <= KINDS, path
        for entry in entries.values():
            assert set(entry) - {"text"} == {"why", "seen", "otherwise"}, path
            assert all(entry.values()), path


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("import sys; sys._getframe(1)", "frames"),
        ("from inspect import currentframe; currentframe()", "frames"),
        ("def f(frame): return frame.f_locals", "frames"),
        ("frames.objects_in('fetch')", "frames"),
        ("def f(code): return code.co_code", "bytecode"),
        ("from dis import get_instructions", "bytecode"),
        ("import gc; gc.get_objects()", "gc"),
        ("import sys; sys.getrefcount(1)", "refcounts"),
        ("eval('1')", "eval"),
        ("import ctypes", "memory"),
        ("def f(loader): return loader._index_sampler", "privates"),
        ("def f(loader): return getattr(loader, '_index_sampler', None)", "privates"),
        ("import torch; torch.manual_seed = print", "patches"),
        ("import numpy as np; np.random.mtrand.seed = print", "patches"),
        ("def f(holder, name): setattr(holder, name, print)", "patches"),
        ("def f(before): setattr(*before.pop())", "patches"),
    ],
)
def test_that_a_use_would_be_noticed(line: str, kind: str) -> None:
    assert kind in used(ast.parse(line), set())


def test_that_what_is_ours_or_documented_is_none() -> None:
    text = """
import os
from seedsafe import opencv
class A:
    def __init__(self):
        self._own = 1
opencv.count = 2
A()._own, os._exit, A._asdict
"""
    tree = ast.parse(text)
    assert set(used(tree, set(own_names(tree)))) == set()
