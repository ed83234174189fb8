"""The one walk over dicts, tuples and lists."""

from __future__ import annotations

from collections import OrderedDict, UserDict, namedtuple
from typing import Any

import numpy as np
import pytest

from seedsafe.ground.tree import leaves, mapped, replaced

Pair = namedtuple("Pair", "image label")  # as users write it
ARRAY = np.zeros(2)
TREES: dict[str, Any] = {
    "a leaf": 7,
    "a dict": {"a": 1, "b": {"c": (2, [3])}},
    "a named tuple": (Pair(1, 2), [Pair(3, ())]),
    "nothing inside": {"a": [], "b": ((), {})},
}


@pytest.mark.parametrize("case", TREES)
def test_a_map_keeps_the_form_and_the_order_of_the_leaves(case: str) -> None:
    tree = TREES[case]
    same = mapped(lambda leaf: leaf, tree)
    assert same == tree
    assert repr(same) == repr(tree)  # the classes too
    assert mapped(str, tree) == eval(repr(mapped(str, tree)), {"Pair": Pair})
    assert [leaf for _, leaf in leaves(mapped(str, tree))] == [str(leaf) for _, leaf in leaves(tree)]


@pytest.mark.parametrize("case", TREES)
def test_a_path_leads_to_its_leaf_and_to_nothing_else(case: str) -> None:
    tree = TREES[case]
    before = repr(tree)
    paths = [path for path, _ in leaves(tree)]
    for path in paths:
        whole = replaced(tree, path, "new")
        assert replaced(whole, path, dict(leaves(tree))[path]) == tree
        assert repr(replaced(whole, path, dict(leaves(tree))[path])) == before  # the classes too
        changed = dict(leaves(whole))
        assert changed == dict(leaves(tree)) | {path: "new"}
    assert repr(tree) == before


def test_what_cannot_be_built_anew_is_a_leaf_of_a_map_and_is_read_all_the_same() -> None:
    for tree in (OrderedDict(a=ARRAY), UserDict(a=ARRAY), type("Own", (list,), {})([ARRAY])):
        assert mapped(type, tree) is type(tree)
        assert [leaf is ARRAY for _, leaf in leaves(tree)] == [True]
    assert mapped(type, "text") is str
    assert list(leaves("text")) == [((), "text")]
