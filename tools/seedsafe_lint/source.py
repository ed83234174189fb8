"""Read files and parse them."""

import ast
import contextlib
import io
import re
import tokenize
import warnings
from pathlib import Path

__all__ = [
    "MAX_BYTES",
    "NOQA",
    "UnreadableError",
    "encoding_of",
    "line_numbers",
    "offsets_of",
    "parse",
    "read",
    "suppressions",
]

MAX_BYTES = 4 * 2**20
"""Larger files are taken for generated code, reported and skipped."""

_PYTHON2 = re.compile(
    r"^\s*(print\s+[\"'\w]|exec\s+[\"'\w]|except\s+[\w.]+\s*,\s*\w+\s*:|raise\s+\w+\s*,)", re.MULTILINE
)
NOQA = re.compile(r"#\s*noqa(?P<codes>\s*:\s*[A-Z][A-Z0-9]*\d(?:[\s,]+[A-Z][A-Z0-9]*\d)*)?", re.IGNORECASE)
_NOQA_FILE = re.compile(
    r"^\s*#\s*seedsafe\s*:\s*noqa(?P<codes>\s*:\s*[A-Z0-9,\s]+)?\s*$", re.IGNORECASE | re.MULTILINE
)


class UnreadableError(Exception):
    """A file that cannot be analysed. The message says why in one line."""


def read(path: Path) -> str:
    """Return the text of a Python file in its encoding, or raise UnreadableError if it is missing, too large or not text."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise UnreadableError(
                f"{size / 2**20:.1f} MiB: larger than {MAX_BYTES // 2**20} MiB, so it is taken for generated code"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from error
    return decode(data)


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
        if "unknown encoding" in str(
            error
        ):  # Python refuses such a file, but its text is nearly always UTF-8
            return "utf-8-sig"
        raise


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a module, or raise UnreadableError if the text is not Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        kind = "Python 2 source" if _PYTHON2.search(text) else "syntax error"
        raise UnreadableError(f"{kind}, line {error.lineno or 1}: {_one_line(error.msg)}") from error
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
    if match := _NOQA_FILE.search(text):
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


def offsets_of(word: str, text: str) -> list[int]:
    """Return the offsets of a word in a text."""
    offsets, at = [], text.find(word)
    while at >= 0:
        offsets.append(at)
        at = text.find(word, at + 1)
    return offsets


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
