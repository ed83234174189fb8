"""Read files and parse them."""

import ast
import contextlib
import io
import json
import re
import stat
import tokenize
import warnings
from pathlib import Path

from seedsafe_lint.newer import needed, parse_newer
from seedsafe_lint.tables import patterns

__all__ = [
    "MAX_BYTES",
    "NOQA",
    "UnreadableError",
    "encoding_of",
    "line_numbers",
    "lines_with",
    "offsets_of",
    "parse",
    "position",
    "read",
    "suppressions",
    "text_line",
]

_RE = patterns("source")
NOQA = _RE.NOQA

MAX_BYTES = 4 * 2**20
"""Larger files are taken for generated code, reported and skipped."""


class UnreadableError(Exception):
    """A file that cannot be analysed. The message says why in one line, and `newer` whether a newer Python can read it."""

    def __init__(self, reason: str, line: int = 1, *, newer: bool = False) -> None:
        super().__init__(reason)
        self.line, self.newer = line, newer


def read(path: Path) -> str:
    """Return the text of a Python file, or of a notebook's code cells, or raise UnreadableError if there is none."""
    try:
        status, notebook = path.stat(), path.suffix == ".ipynb"
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("cannot be read: it is not a file")
        size = status.st_size / 2**20
        if status.st_size > MAX_BYTES and not notebook:
            raise UnreadableError(
                f"{size:.1f} MiB: larger than {MAX_BYTES // 2**20} MiB, so it is taken for generated code"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from error
    return _code_cells(str(path), data) if notebook else decode(data)


_cells: dict[str, list[tuple[int, int]]] = {}  # the first line and the number of each code cell of a notebook


def _code_cells(path: str, data: bytes) -> str:
    """Return the code of a notebook, with statements that do nothing in place of IPython's commands."""
    try:
        cells = json.loads(data)["cells"]
        codes = [(i, "".join(c["source"])) for i, c in enumerate(cells, 1) if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        why = f"cannot be parsed ({_one_line(error)})" if isinstance(error, ValueError) else "has no cells"
        raise UnreadableError(f"is not a notebook of format 4: its JSON {why}") from error
    text, _cells[path] = "", []
    for number, code in codes:
        _cells[path].append((text.count("\n") + 1, number))
        if not _RE.OTHER_LANGUAGE.match(code):
            text += _RE.SHELL.sub(r"\1 None", _RE.MAGIC.sub(r"\1pass", code))
        text += "\n"
    return text


def position(path: str, line: int) -> tuple[int, int]:
    """Return the cell, and the line in it, for a line of a notebook's text; for other files, 0 and the line itself."""
    first, cell = max(
        ((start, cell) for start, cell in _cells.get(path, ()) if start <= line), default=(1, 0)
    )
    return cell, line - first + 1


def text_line(path: str, cell: int, line: int) -> int:
    """Return the line of a file's text for a cell and a line in it, the inverse of `position`."""
    return line + next((start - 1 for start, number in _cells.get(path, ()) if number == cell), 0)


def decode(data: bytes) -> str:
    """Return the text of a file's bytes, in the encoding of its byte order mark or coding line, or UTF-8."""
    if b"\0" in data:
        raise UnreadableError("holds null bytes: not Python source")
    try:
        encoding = encoding_of(data)
        try:
            text = data.decode(encoding)
        except LookupError:  # an encoding of bytes, such as hex
            text = data.decode("utf-8-sig")
    except (SyntaxError, LookupError, UnicodeError, ValueError) as error:
        raise UnreadableError(f"wrong encoding: {_one_line(error)}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(data: bytes) -> str:
    """Return the encoding that a file's byte order mark or coding line declares."""
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        if "unknown encoding" not in str(error):
            raise
        return "utf-8-sig"  # Python refuses such a file, but its text is nearly always UTF-8


def parse(text: str, path: str = "") -> ast.Module:
    """Return the syntax tree of a module, maybe with the help of a newer Python, or raise UnreadableError if the text is not Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        version, (cell, line) = needed(text, error), position(path, error.lineno or 1)
        old = not version and _RE.PYTHON2.search(text)
        if version and (tree := parse_newer(text)):
            return tree
        where = f"of cell {cell}, line {line}" if cell else f"line {line}"
        if version:
            reason = f"syntax of Python {version}, {where}: run the linter with Python {version} or newer"
            raise UnreadableError(reason, line, newer=True) from error
        kind = "Python 2 source" if old else "a notebook with a syntax error" if cell else "syntax error"
        raise UnreadableError(f"{kind}, {where}: {_one_line(error.msg)}", line) from error
    except (ValueError, RecursionError, MemoryError, OverflowError, SystemError) as error:
        raise UnreadableError(f"cannot be parsed: {_one_line(error) or type(error).__name__}") from error


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


def suppressions(text: str) -> dict[int, frozenset[str]]:
    """Return the codes that ``# noqa`` suppresses, by line.

    Lines count from 1, and line 0 is the whole file (``# seedsafe: noqa``). An empty set means all codes.
    """
    result: dict[int, frozenset[str]] = {}
    if "noqa" not in text.lower():
        return result
    lines = text.split("\n")
    comments: dict[int, str] | None = None
    for number, line in enumerate(lines, start=1):
        if "#" in line and (match := NOQA.search(line)):
            if "'" in line or '"' in line:
                comments = _comments(text) if comments is None else comments
                match = NOQA.search(comments.get(number, ""))
            if match:
                result[number] = _codes(match["codes"])
    if match := _RE.NOQA_FILE.search(text):
        result[0] = _codes(match["codes"])
    return result


def _comments(text: str) -> dict[int, str]:
    result: dict[int, str] = {}
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                result[token.start[0]] = token.string
    return result


def _codes(text: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Z]+\d+", text.upper())) if text else frozenset()


def lines_with(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the numbers of the lines, from 1 and in order, on which the matches of a pattern begin."""
    return line_numbers(text, [match.start() for match in pattern.finditer(text)])


def offsets_of(word: str, text: str) -> list[int]:
    """Return the offsets of a word in a text."""
    return [match.start() for match in re.finditer(re.escape(word), text)]


def line_numbers(text: str, offsets: list[int]) -> list[int]:
    """Return the line numbers, from 1 and in order, of offsets in a text.

    Example:
        >>> line_numbers("a\\nb\\nc", [4, 0])
        [1, 3]
    """
    numbers, number, at = [], 1, 0
    for offset in sorted(offsets):
        number += text.count("\n", at, offset)
        at = offset
        numbers.append(number)
    return numbers
