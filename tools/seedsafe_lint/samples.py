"""Rules about the samples of ``__getitem__``."""

import ast
import re
from collections.abc import Iterator

from seedsafe_lint.index import Class, Function
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.known import BUFFERS, words
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.scopes import statements
from seedsafe_lint.seeds import expand
from seedsafe_lint.syntax import dotted
from seedsafe_lint.values import Ext, Group, Inst

__all__ = ["check"]

_IN_PLACE = words("sort fill shuffle clip_ add_ mul_ sub_ div_ normal_ uniform_ zero_ partition")


def check(run: Interpreter, cls: Class) -> None:
    """Report None for a sample, stored samples changed in place, and indices from the order of a set."""
    method = cls.methods.get("__getitem__")
    if method is None or kind_of_class(run, cls) not in ("map", "keras"):
        return
    _none(run, method)
    _set_order(run, method)
    _in_place(run, method)


def _none(run: Interpreter, method: Function) -> None:
    text = method.module.text
    if re.search(r"collate", text) and re.search(r"is not None|is None|!= None|filter\(", text):
        return
    returns = [node for node in statements(method.body) if isinstance(node, ast.Return)]
    nothing = [
        n for n in returns if n.value is None or (isinstance(n.value, ast.Constant) and n.value.value is None)
    ]
    if len(nothing) == len(returns):
        return
    for node in nothing:
        run.verdicts.say("none", node, method.module.path, cls=method.cls, root=method.label)


def _set_order(run: Interpreter, method: Function) -> None:
    """Report an attribute that `__getitem__` subscripts and whose order is that of a set."""
    cls, say = method.cls, run.verdicts.say
    assert cls is not None
    read = {
        node.value.attr
        for node in ast.walk(method.node)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)
    }
    for name in sorted(read & cls.sites.keys()):
        for site in cls.sites[name]:
            parts = list(expand(site.value, site.function)) if site.value else []
            called = {dotted(part).rpartition(".")[2] for part in parts if isinstance(part, ast.Call)}
            if site.value and called.isdisjoint({"sorted", "sort"}) and any(map(_ordered_by_set, parts)):
                say("set order", site.value, cls.module.path, cls=cls, root=method.label, what=name)


def _ordered_by_set(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple" | "enumerate"), args=[inner, *_]):
            return _is_set(inner)
        case ast.ListComp(generators=[ast.comprehension(iter=inner), *_]):
            return _is_set(inner)
        case _:
            return False


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[_, *_]) | ast.Set() | ast.SetComp():
            return True
        case ast.BinOp(left=left, op=ast.Sub() | ast.BitOr() | ast.BitAnd()):
            return _is_set(left)
        case _:
            return False


def _in_place(run: Interpreter, method: Function) -> None:
    cls = method.cls
    if cls is None or len(method.positional) < 2:
        return
    this, path, say = method.positional[0].arg, method.module.path, run.verdicts.say
    cached: dict[str, str] = {}
    for node in statements(method.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                attr = _item_of_self(value, this)
                if attr and _holds_arrays(run, cls, attr):
                    cached[name] = attr
                    continue
                cached.pop(name, None)
            case ast.Assign(targets=[ast.Tuple() as target]):
                for element in ast.walk(target):
                    if isinstance(element, ast.Name):
                        cached.pop(element.id, None)
        for name in _changed(node):
            if name in cached:
                say("in place", node, path, cls=cls, root=method.label, what=name, attr=cached[name])


def _item_of_self(value: ast.expr, this: str) -> str:
    match value:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if owner == this:
            return attr
        case _:
            return ""


def _holds_arrays(run: Interpreter, cls: Class, attr: str) -> bool:
    for value in run.members.field(Inst(cls), attr):
        for item in value.items if isinstance(value, Group) else (value,):
            if isinstance(item, Ext) and BUFFERS.match(item.name):
                return True
    return False


def _changed(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Assign(targets=found):
            for target in found:
                match target:
                    case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str())):
                        pass
                    case ast.Subscript(value=ast.Name(id=name)):
                        yield name
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))):
            yield name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))) if (
            method in _IN_PLACE
        ):
            yield name
        case ast.Expr(value=ast.Call(args=[ast.Name(id=name), *_]) as call) if dotted(call).endswith(
            "random.shuffle"
        ):
            yield name
