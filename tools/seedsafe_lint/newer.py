"""Syntax that only a newer Python knows."""

import ast
import marshal
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from seedsafe_lint.tables import patterns

__all__ = ["needed", "parse_newer"]

_RE = patterns("newer")

_TELLS = {version: re.compile(pattern) for version, pattern in _RE.TELLS.items()}
_NEWEST = 30
_HOMES = (
    ".pyenv/versions/3.{}*/bin/python",
    ".local/share/uv/python/*3.{}*/bin/python3",
)
_SECONDS = 20
# What an older Python has no node for becomes one that draws as little: a statement that does nothing, an ordinary f-string.
_READER = """
import ast, marshal, sys
NAMES = {"TemplateStr": "JoinedStr", "Interpolation": "FormattedValue"}
def plain(node):
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return ("", node)
    kind = type(node).__name__
    fields = {name: plain(value) for name, value in ast.iter_fields(node) if name not in ("type_params", "str")}
    at = {name: getattr(node, name) for name in node._attributes if getattr(node, name, None) is not None}
    return ("Pass", {}, at) if kind == "TypeAlias" else (NAMES.get(kind, kind), fields, at)
sys.stdout.buffer.write(marshal.dumps(plain(ast.parse(sys.stdin.buffer.read().decode())), 2))
"""


def needed(text: str, error: SyntaxError) -> str:
    """Return the first Python that knows a file's syntax, as its text and an error suggest, or an empty string."""
    found = next((version for version, pattern in _TELLS.items() if pattern.search(text)), "")
    line = text.split("\n")[(error.lineno or 1) - 1 :][:1]
    if not found and (error.msg.startswith("f-string") or (line and _RE.F_STRING.search(line[0]))):
        found = "3.12"
    return found if found and int(found[2:]) > sys.version_info.minor else ""


def parse_newer(text: str) -> ast.Module | None:
    """Return the syntax tree that the newest other Python of the machine makes, or None if there is none or it refuses."""
    data = text.encode()
    for python in _pythons():
        call = [python, "-I", "-c", _READER]
        try:
            done = subprocess.run(call, input=data, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            tree: ast.Module = _node(marshal.loads(done.stdout))
            return tree
    return None


@cache
def _pythons() -> list[str]:
    """Return the Pythons of the machine that are newer than this one, the newest first."""
    found: list[str] = []
    for minor in range(_NEWEST, sys.version_info.minor, -1):
        here = shutil.which(f"python3.{minor}")
        found += [here] if here else []
        found += [str(path) for pattern in _HOMES for path in sorted(Path.home().glob(pattern.format(minor)))]
    return found


def _node(parts: Any) -> Any:
    """Return the node of a tree as the other Python wrote it."""
    if isinstance(parts, list):
        return [_node(part) for part in parts]
    if parts[0] == "":
        return parts[1]
    kind = getattr(ast, parts[0])
    fields = {name: _node(value) for name, value in parts[1].items() if name in kind._fields}
    return kind(**fields, **parts[2])
