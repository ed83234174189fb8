"""The command ``seedsafe index``."""

import json
import sys
import warnings
from collections import Counter

import numpy as np

from seedsafe.data.folder.index import FolderIndex, ListingIndex
from seedsafe.data.options import index as parser

__all__ = ["main"]

_MOST = 50  # classes in the text


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `index`.

    Returns:
        0; 1 if there are problems, or the index cannot be kept; 2 if the arguments are wrong or name something that is missing or
        unusable.

    Example:
        >>> import tempfile
        >>> main([tempfile.mkdtemp()])
        0 files, 0 classes, 0 bytes of memory a file
        0
    """
    options = parser().parse_args(argv)
    try:
        with warnings.catch_warnings(record=True) as failures:
            warnings.simplefilter("always")
            index = ListingIndex(options.path, labelled=not options.flat, cache=options.cache)
    except (OSError, ValueError) as error:
        print(f"seedsafe index: {error}", file=sys.stderr)
        return 2
    print(_as_json(index) if options.json else _as_text(index))
    if not len(index) and not options.flat and not index.problems:
        print(
            f"seedsafe index: no folder in {options.path!r} has images: --flat takes those in no folder too",
            file=sys.stderr,
        )
    for warning in failures:
        print(f"seedsafe index: {warning.message}", file=sys.stderr)
    if options.cache is not None and not options.json and not failures:
        print(f"cache: {options.cache}")
    return 1 if index.problems or failures else 0


def _as_json(index: FolderIndex) -> str:
    facts = {
        "root": index.root,
        "files": len(index),
        "classes": len(index.classes),
        "class_files": _counts(index),
        "bytes": index.nbytes,
        "problems": [problem._asdict() for problem in index.problems],
        "fingerprint": index.fingerprint,
    }
    return json.dumps(facts, indent=1)


def _counts(index: FolderIndex) -> dict[str, int]:
    """Return the number of files of each class."""
    if not index.classes:
        return {}
    counts = np.bincount(index.targets, minlength=len(index.classes))
    return dict(zip(index.classes, counts.tolist(), strict=True))


def _as_text(index: FolderIndex) -> str:
    each = index.nbytes / len(index) if len(index) else 0
    lines = [f"{len(index):,} files, {len(index.classes):,} classes, {each:.3g} bytes of memory a file"]
    counts = list(_counts(index).items())
    width = max((len(name) for name, _ in counts[:_MOST]), default=0)
    lines += [f"  {name:{width}}  {count:,}" for name, count in counts[:_MOST]]
    if len(counts) > _MOST:
        lines.append(f"  and {len(counts) - _MOST:,} more: --json lists all")
    for kind, count in sorted(Counter(problem.kind for problem in index.problems).items()):
        lines.append(f"{count:,} of kind {kind}:")
        shown = [problem for problem in index.problems if problem.kind == kind][:10]
        lines += [f"  {problem.path}: {problem.message}" for problem in shown]
    return "\n".join(lines)
