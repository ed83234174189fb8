"""The parts of a sample, by one walk.

`leaves` reads and takes any Mapping, tuple or list apart. `mapped` and `replaced` build anew, and so take only what they can build:
dicts, lists, tuples and named tuples. Other objects, arrays among them, are leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

__all__ = ["Path", "entries", "leaves", "mapped", "replaced", "with_parts", "written"]

_LISTS: Final = (tuple, list)  # several times faster than a union of them
Path = tuple[Any, ...]
"""The keys and positions that lead to a part; () for the whole."""


def entries(tree: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the parts of a dict, tuple or list by key or position, or None for a leaf.

    Example:
        >>> list(entries({"a": 1})), list(entries([2])), entries("ab")
        ([('a', 1)], [(0, 2)], None)
    """
    if isinstance(tree, tuple | list):
        return enumerate(tree)
    return tree.items() if isinstance(tree, Mapping) else None


def leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each leaf with the path that leads to it, in order.

    Example:
        >>> list(leaves(("image", {"bbox": "boxes", "rest": []})))
        [((0,), 'image'), ((1, 'bbox'), 'boxes')]
    """
    found = entries(tree)
    if found is None:
        yield path, tree
        return
    for key, part in found:
        yield from leaves(part, (*path, key))


def mapped(function: Callable[[Any], Any], tree: Any, plain: frozenset[type] = frozenset()) -> Any:
    """Return a tree of the same form with the results of a function for its leaves.

    Args:
        function: called with each leaf.
        tree: the tree.
        plain: types of leaves that stay as they are. A list of them may have thousands, and is copied in one step.

    Example:
        >>> mapped(len, {"a": ("b", "cd"), "e": ["fgh"]})
        {'a': (1, 2), 'e': [3]}
    """
    kind = type(tree)
    if kind in plain:
        return tree
    if kind is dict:
        return {key: mapped(function, part, plain) for key, part in tree.items()}
    if kind is list or kind is tuple:
        if plain and plain.issuperset(map(type, tree)):
            return kind(tree)
        return kind([mapped(function, part, plain) for part in tree])
    make: Any = getattr(tree, "_make", None) if isinstance(tree, tuple) else None  # of a named tuple
    return function(tree) if make is None else make([mapped(function, part, plain) for part in tree])


def replaced(tree: Any, path: Path, part: Any) -> Any:
    """Return a tree with another part at a path. A list's or tuple's class is kept if it can be built anew.

    Example:
        >>> replaced((1, {"a": [2, 3]}), (1, "a", 0), 9)
        (1, {'a': [9, 3]})
    """
    if not path:
        return part
    key, *rest = path
    return with_parts(tree, {key: replaced(tree[key], tuple(rest), part)})


def with_parts(tree: Any, parts: Mapping[Any, Any]) -> Any:
    """Return a dict, tuple or list with some other parts, by key or position; see `replaced`."""
    if not isinstance(tree, _LISTS):
        return tree | parts
    changed = list(tree)
    for position, part in parts.items():
        changed[position] = part
    if isinstance(tree, list):
        return changed
    return tree._make(changed) if hasattr(tree, "_make") else tuple(changed)


def written(path: Path) -> str:
    """Return a path as Python code has it after a name.

    Example:
        >>> written((1, "bbox"))
        "[1]['bbox']"
    """
    return "".join(f"[{key!r}]" for key in path)
