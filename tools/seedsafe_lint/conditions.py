"""Outcomes of conditions, if they are known."""

import ast
from dataclasses import dataclass

from seedsafe_lint.alternatives import Value, Values
from seedsafe_lint.context import Part
from seedsafe_lint.index import Frame
from seedsafe_lint.values import Cls, Const, Ext, Fn, Gen, Group, Inst, Mod, Opaque

__all__ = ["Conditions", "truthy"]


@dataclass(eq=False)
class Conditions(Part):
    """Finds the outcomes of conditions."""

    def truth(self, test: ast.expr, frame: Frame) -> bool | None:
        """Evaluate a condition and return its outcome, or None if it is unknown."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, frame)
                return None if inner is None else not inner
            case ast.Compare(
                left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ):
                outcome = self._is_none(self.steps.evaluate(left, frame))
                if isinstance(left, ast.Subscript):
                    return None
                return outcome if outcome is None or isinstance(op, ast.Is) else not outcome
            case ast.Constant(value=value):
                return bool(value)
            case ast.Name(id="TYPE_CHECKING"):
                return False
            case _:
                values = self.steps.evaluate(test, frame)
                if values == (Const(None),):
                    return False
                if all(isinstance(v, Ext) and v.name.endswith("get_worker_info()") for v in values):
                    return True
                return None

    def is_on(self, test: ast.expr, frame: Frame) -> bool:
        """Return whether a condition is an option of the object that is on by default."""
        values = self.steps.evaluate(test, frame) if isinstance(test, ast.Attribute) else ()
        return Const(True) in values and not {Const(False), Const(None)} & {*values}

    def _is_none(self, values: Values) -> bool | None:
        if all(v == Const(None) for v in values):
            return True
        if all(
            isinstance(v, Gen | Fn | Inst | Cls | Mod | Group)
            or (isinstance(v, Opaque) and v.argument)
            or (isinstance(v, Ext) and self.context.worker and v.name.endswith("get_worker_info()"))
            for v in values
        ):
            return False
        return None


def truthy(value: Value) -> bool:
    """Return True if the value is certainly true."""
    return isinstance(value, Gen | Fn | Inst | Cls | Mod) or (isinstance(value, Opaque) and value.argument)
