"""The rule about samples that are None."""

import ast
import re

from seedsafe_lint.index import Class
from seedsafe_lint.interpreter import Interpreter
from seedsafe_lint.roots import kind_of_class
from seedsafe_lint.scopes import statements

__all__ = ["check"]


def check(run: Interpreter, cls: Class) -> None:
    """Report None for a sample, unless a collate function of the file may drop it."""
    method = cls.methods.get("__getitem__")
    if method is None or kind_of_class(run, cls) not in ("map", "keras"):
        return
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
