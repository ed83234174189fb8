"""The line to paste for a finding."""

import ast
import re
from functools import cache
from pathlib import Path

from seedsafe_lint.callsites import calls_on, statements_on
from seedsafe_lint.findings import Finding
from seedsafe_lint.index import Frame, Module
from seedsafe_lint.messages import MESSAGES
from seedsafe_lint.rules import RULES
from seedsafe_lint.source import UnreadableError, lines_with, parse, read, text_line
from seedsafe_lint.syntax import dotted
from seedsafe_lint.tables import patterns

__all__ = ["line_to_paste"]

_RE = patterns("paste")
_DRAWN = "torch.randint(2**32 - 1, ()).item()"  # an epoch's own number in each worker, persistent or not
_INITIAL = "torch.initial_seed() % 2**32"
_ITSELF = "delete it, or write this: torch seeds itself, random and NumPy in each worker and epoch"


def line_to_paste(finding: Finding) -> str:
    """Return the line that cures a finding, with a comment that says where it belongs."""
    try:
        module = _module(finding.place.path, read(Path(finding.place.path)))
        line = _Line(finding, module).text()
    except (UnreadableError, RecursionError):
        line = ""
    return line or RULES[finding.code].fix


@cache
def _module(path: str, text: str) -> Module:
    return Module(path, text, parse(text))


class _Line:
    """The line of one finding, made of the statement and the call at its place."""

    def __init__(self, finding: Finding, module: Module) -> None:
        self.finding, self.module = finding, module
        line = text_line(module.path, finding.place.cell, finding.place.line)
        self.around = [(node, frame) for node, frame in statements_on(module, [line]) if node.lineno <= line]
        self.statement, self.frame = self.around[-1] if self.around else (ast.Pass(), module.frame)
        at = line, finding.place.column - 1
        calls = (node for node in ast.walk(self.statement) if isinstance(node, ast.Call))
        if finding.key == "init outdated":  # the finding stands on the state that the seed is made of
            found = [node for node in calls if finding.what in "".join(map(ast.unparse, node.args))]
        else:
            found = [node for node in calls if (node.lineno, node.col_offset) == at]
        # of calls that begin at one place, as in default_rng(0).random(), the one that the message names
        named = (node for node in found if dotted(node) == finding.what.partition(" ")[0])
        self.call = next(named, found[-1] if found else None)
        self.here = f"  # line {finding.place.line}"

    def text(self) -> str:
        """Return the line, or an empty string if the file says nothing better than the rule."""
        what, cure = self.finding.what, MESSAGES[self.finding.key].cure if self.finding.key else ""
        name = dotted(self.call) if self.call else ""
        if cure.startswith("#"):
            return cure
        if cure in ("reseed", "init"):
            return self._reseeded(name, cure)
        match cure:
            case "bridge":
                return self._bridged()
            case "drawn":
                return f"pass{self.here}: {_ITSELF}"
            case "hash":
                return self._with("hash(", "zlib.crc32(str(", "zlib").replace(")", ").encode())", 1)
            case "no init":
                return self._with(f"worker_init_fn={what}", "worker_init_fn=None")
            case "unseeded" if self.call:
                words = [word for word in self.call.keywords if word.arg not in ("seed", "generator")]
                plain = ast.unparse(ast.Call(self.call.func, self.call.args, words))
                return self._with(ast.unparse(self.call), plain)
            case "epoch" if isinstance(self.statement, ast.Assign):
                return f"{ast.unparse(self.statement.targets[0])}.set_epoch(epoch)  # the first line of the loop over epochs"
            case "once" if self.call and self.call.args:
                line = self._with(ast.unparse(self.call), ast.unparse(self.call.args[0]))
                return f"{line}, and call {name} in each read" if line else ""
            case "before":
                return f"{ast.unparse(self.statement)}  # once, before the loop over epochs, in place of line {self.finding.place.line}"
        return self._in_class(cure)

    def _reseeded(self, name: str, cure: str) -> str:
        if _RE.SEEDS_ITSELF.search(name) and (cure == "init" or "torch" in name):
            return f"pass{self.here}: {_ITSELF}"
        seed = _INITIAL if cure == "init" else _DRAWN
        if self.call is None:
            return self._with(self.finding.what, _INITIAL, "torch") if cure == "init" else ""
        return self._with(ast.unparse(self.call), f"{ast.unparse(self.call.func)}({seed})", "torch")

    def _in_class(self, cure: str) -> str:
        match cure:
            case "count":
                torch = "" if "torch" in self.module.scope.names else "import torch; "
                return f"{torch}self.{self.finding.what} = torch.zeros(1).share_memory_()  # in __init__"
            case "again":
                asked = next((node for node, _ in reversed(self.around) if isinstance(node, ast.If)), None)
                if self.call and dotted(self.call).endswith("setdefault"):
                    return self._with(ast.unparse(self.call), ast.unparse(self.call.args[-1]))
                if self.call or asked is None:
                    return f"# draw in each read, and keep nothing of it in {self.finding.what}"
                return f"if True:  # line {asked.lineno}: draw in each read"
            case "raise" if self.frame.function and self.frame.function.positional[1:]:
                index = self.frame.function.positional[1].arg
                return f'raise ValueError(f"sample {{{index}}} cannot be read"){self.here}'
        return ""

    def _with(self, old: str, new: str, needed: str = "") -> str:
        """Return the statement with a new expression in place of an old one, after the import that it needs."""
        text = ast.unparse(self.statement).replace(old, new, 1)
        bound = not needed or needed in self.module.scope.names
        return "" if "\n" in text else f"{'' if bound else f'import {needed}; '}{text}{self.here}"

    def _bridged(self) -> str:
        """Return the statement of the file's first loader around a bridge, or the generator for a stream."""
        bridge = "Bridge(opencv=True)" if self.finding.needs else "True"
        imports = "from seedsafe import Bridge; " if self.finding.needs else ""
        if _RE.OF_STREAM.search(self.finding.message):
            return self._in_stream()
        keras = self.module.framework == "keras"
        loaders = [
            (module, call, base, frame)
            for module in (self.module, *(_module(path, read(Path(path))) for path in self.finding.loaders))
            for call, frame in calls_on(module, lines_with(_RE.LOADER, module.text))
            for base in _data_of(call, keras)
        ]
        for module, call, base, _ in sorted(loaders, key=lambda loader: not self._loads(*loader[2:])):
            made = f"{ast.unparse(base)}, seed=42, bridge={bridge}"
            of = "" if module is self.module else f" of {module.path}"
            return imports + _wrapped(module, call, made, keras) + of
        if keras:
            return f"from seedsafe_keras import AugmentedSequence; sequence = AugmentedSequence(sequence, seed=42, bridge={bridge})  # before fit"
        return imports + RULES["SSF001"].fix.replace("bridge=True", f"bridge={bridge}")

    def _in_stream(self) -> str:
        """Return the line that makes a stored generator again in each pass, or makes one."""
        stored = re.match(
            r"(self\.\w+)\..*made by np\.random\.(default_rng|RandomState),", self.finding.message
        )
        name, maker = stored.groups() if stored else ("rng", "default_rng")
        line = (
            f"import numpy as np, torch; {name} = np.random.{maker}({_DRAWN})  # the first line of __iter__"
        )
        return line + ("" if stored else ", and draw from rng")

    def _loads(self, base: ast.expr, frame: Frame) -> bool:
        """Return whether an expression, or what its name is bound to, names an owner of the finding."""
        parts: list[ast.AST] = [base]
        for scope in (frame.scope, frame.module.scope) if isinstance(base, ast.Name) else ():
            parts += [binding.node for binding in scope.names.get(base.id, ())] if scope else []  # type: ignore[attr-defined]
        names = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
        return any(name in names for _, name in self.finding.owners or ())


def _data_of(call: ast.Call, keras: bool) -> list[ast.expr]:
    """Return what a call gets to read from: the dataset of a loader, or the sequence of Keras' ``fit``."""
    name = dotted(call).rpartition(".")[2]
    if name not in (("fit", "fit_generator") if keras else ("DataLoader",)) or (keras and len(call.args) > 1):
        return []
    words = ("x", "generator") if keras else ("dataset",)
    return [*call.args[:1], *(word.value for word in call.keywords if word.arg in words)]


def _wrapped(module: Module, call: ast.Call, made: str, keras: bool) -> str:
    """Return the statement of a call around a bridge, or an empty string if it has several lines."""
    *_, statement = (node for node, _ in statements_on(module, [call.lineno]) if call in ast.walk(node))
    left_out = ("x", "generator") if keras else ("dataset", "worker_init_fn")
    words = [word for word in call.keywords if word.arg not in left_out]
    rest = "".join(f", {ast.unparse(part)}" for part in (*call.args[1:], *words))
    needed, new = "seedsafe_torch import AugmentedDataset, loader", f"loader(AugmentedDataset({made}){rest})"
    if keras and isinstance(call.func, ast.Attribute):
        needed = "seedsafe_keras import AugmentedSequence, fit"
        new = f"fit({ast.unparse(call.func.value)}, AugmentedSequence({made}){rest})"
    first, last = statement.lineno, statement.end_lineno or 0
    text = ast.unparse(statement).replace(ast.unparse(call), new)
    where = f"lines {first} to {last}" if last > first else f"line {first}"
    if "\n" in text:
        text, where = f"batches = {new}", f"before line {first}, whose {dotted(call)} it replaces"
    return f"from {needed}; {text}  # {where}"
