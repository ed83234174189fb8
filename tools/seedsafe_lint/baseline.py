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
from seedsafe_lint.rules import current
from seedsafe_lint.source import NOQA, UnreadableError, encoding_of, parse, read, text_line

__all__ = ["add_noqa", "identities", "new_findings", "write_baseline"]


def write_baseline(findings: Iterable[Finding], file: Path) -> None:
    """Write findings into a baseline file.

    A finding is identified by its file, its rule and the text of its line, so changes in the lines above do not matter.
    """
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for (path, code, line), count in sorted(Counter(identities(findings, file)).items()):
        counts.setdefault(path, {}).setdefault(code, {})[line] = count
    file.write_text(json.dumps({"version": 1, "findings": counts}, indent=1) + "\n", encoding="utf-8")


def new_findings(findings: list[Finding], file: Path) -> tuple[list[Finding], set[str]]:
    """Return the findings that are not in a baseline, and the codes that it names.

    A file that the baseline lacks counts as renamed, and takes over the findings of a file that is gone, if it has at least
    half of their lines.

    Raises:
        ConfigError: The file is missing or not a baseline.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))["findings"]
        known = {
            path: Counter(
                {(current(code), line): int(n) for code, lines in codes.items() for line, n in lines.items()}
            )
            for path, codes in document.items()
        }
    except OSError as error:
        raise ConfigError(
            f"the baseline {file} cannot be read: {error.strerror}. Write one with --write-baseline FILE"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file} is not a baseline: write one with --write-baseline FILE") from error
    seen = identities(findings, file)
    _rename(known, {path for path, _, _ in seen}, file.absolute().parent)
    new = []
    for finding, (path, code, line) in zip(findings, seen, strict=True):
        counts = known.setdefault(path, Counter())
        counts[code, line] -= 1
        if counts[code, line] < 0:
            new.append(finding)
    return new, {code for codes in document.values() for code in codes}


def _rename(known: dict[str, Counter[tuple[str, str]]], paths: set[str], home: Path) -> None:
    gone = [path for path in known if not (home / path).exists()]
    pairs = []
    for path in paths - known.keys() if gone else ():
        lines = {line.strip() for line in read(home / path).split("\n")}
        for old in gone:
            share = sum(line in lines for _, line in known[old]) / len(known[old])
            pairs.append((share, Path(old).name == Path(path).name, path, old))
    for share, _, path, old in sorted(pairs, reverse=True):
        if share >= 0.5 and path not in known and old in known:
            known[path] = known.pop(old)


def identities(findings: Iterable[Finding], file: Path) -> list[tuple[str, str, str]]:
    """Return for each finding its file, relative to that of the baseline, its rule and the text of its line."""

    @cache
    def lines(path: str) -> list[str]:
        return read(Path(path)).split("\n")

    @cache
    def relative(path: str) -> str:
        try:
            return Path(os.path.relpath(path, file.absolute().parent)).as_posix()
        except ValueError:  # on another drive
            return Path(path).absolute().as_posix()

    return [
        (relative(at.path), finding.code, lines(at.path)[text_line(at.path, at.cell, at.line) - 1].strip())
        for finding in findings
        for at in [finding.place]
    ]


def add_noqa(findings: Iterable[Finding]) -> tuple[int, list[str]]:
    """Write ``# noqa`` comments on the lines of findings.

    Return the number of changed lines, and the lines (``path:number``) where a comment is impossible or would change the code.
    """
    by_line: dict[str, dict[int, set[str]]] = {}
    for finding in findings:
        by_line.setdefault(finding.place.path, {}).setdefault(finding.end_line, set()).add(finding.code)
    changed, impossible = 0, []
    for path, lines in by_line.items():
        if path.endswith(".ipynb"):
            impossible += [f"{path}:{number}" for number in sorted(lines)]
            continue
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
