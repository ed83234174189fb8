"""Known findings: a baseline file or ``noqa`` comments."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from seedsafe_lint.config import ConfigError
from seedsafe_lint.findings import Finding
from seedsafe_lint.source import NOQA, UnreadableError, encoding_of, parse, read

__all__ = ["add_noqa", "new_findings", "write_baseline"]


def write_baseline(findings: Iterable[Finding], file: Path) -> None:
    """Write findings into a baseline file.

    A finding is identified by its file, its rule and the text of its line, so changes in the lines above do not matter.
    """
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for (path, code, line), count in sorted(Counter(_identities(findings, file)).items()):
        counts.setdefault(path, {}).setdefault(code, {})[line] = count
    file.write_text(json.dumps({"version": 1, "findings": counts}, indent=1) + "\n", encoding="utf-8")


def new_findings(findings: list[Finding], file: Path) -> list[Finding]:
    """Return the findings that are not in a baseline, or raise ConfigError if the file is missing or not a baseline."""
    try:
        counts = Counter(
            {
                (path, code, line): int(count)
                for path, codes in json.loads(file.read_text(encoding="utf-8"))["findings"].items()
                for code, lines in codes.items()
                for line, count in lines.items()
            }
        )
    except OSError as error:
        raise ConfigError(
            f"the baseline {file} cannot be read: {error.strerror}. Write one with --write-baseline FILE"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file} is not a baseline: write one with --write-baseline FILE") from error
    new = []
    for finding, identity in zip(findings, _identities(findings, file), strict=True):
        counts[identity] -= 1
        if counts[identity] < 0:
            new.append(finding)
    return new


def _identities(findings: Iterable[Finding], file: Path) -> list[tuple[str, str, str]]:
    @cache
    def lines(path: str) -> list[str]:
        return read(Path(path)).split("\n")

    @cache
    def relative(path: str) -> str:
        return Path(os.path.relpath(path, file.absolute().parent)).as_posix()

    return [(relative(f.place.path), f.code, lines(f.place.path)[f.place.line - 1].strip()) for f in findings]


def add_noqa(findings: Iterable[Finding]) -> tuple[int, list[str]]:
    """Write ``# noqa`` comments on the lines of findings.

    Return the number of changed lines, and the lines (``path:number``) where a comment is impossible or would change the code.
    """
    by_line: dict[str, dict[int, set[str]]] = {}
    for finding in findings:
        by_line.setdefault(finding.place.path, {}).setdefault(finding.end_line, set()).add(finding.code)
    changed, impossible = 0, []
    for path, lines in by_line.items():
        data = Path(path).read_bytes()
        encoding = encoding_of(data)
        text = data.decode(encoding)
        tree = ast.dump(parse(text))
        for number, codes in sorted(lines.items()):
            edited = _add_codes(text, number, codes)
            try:
                same = ast.dump(parse(edited)) == tree
            except UnreadableError:
                same = False
            if same:
                changed, text = changed + 1, edited
            else:
                impossible.append(f"{path}:{number}")
        Path(path).write_bytes(text.encode(encoding))
    return changed, impossible


def _add_codes(text: str, number: int, codes: set[str]) -> str:
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    code, end = re.fullmatch(r"(.*?)(\s*)", lines[number - 1], re.DOTALL).groups()  # type: ignore[union-attr]
    if (match := NOQA.search(code)) and match["codes"]:
        at = match.end()
        lines[number - 1] = f"{code[:at]}, {', '.join(sorted(codes))}{code[at:]}{end}"
    else:
        lines[number - 1] = f"{code}  # noqa: {', '.join(sorted(codes))}{end}"
    return "".join(lines)
