"""The rules: codes and names. What each says, and why, stands on its page, which the tests run."""

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RULES", "Rule", "page", "summary"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Args:
        code: ``SSF001`` and so on.
        name: Its name in words.
        default: It is on unless it is ignored.
    """

    code: str
    name: str
    default: bool = True


RULES = {
    rule.code: rule
    for rule in (
        Rule("SSF001", "numpy-global-in-worker"),
        Rule("SSF002", "stored-generator-in-worker"),
        Rule("SSF003", "unseeded-library-in-worker"),
        Rule("SSF004", "constant-seed-per-sample"),
        Rule("SSF005", "outdated-worker-seed"),
        Rule("SSF006", "worker-init-repeats-epochs"),
        Rule("SSF007", "worker-init-ignores-worker"),
        Rule("SSF008", "worker-init-forgets-generator"),
        Rule("SSF009", "sampler-ignores-epoch"),
        Rule("SSF010", "missing-set-epoch"),
        Rule("SSF011", "epoch-with-persistent-workers"),
        Rule("SSF012", "epoch-counted-in-hook"),
        Rule("SSF013", "state-in-getitem"),
        Rule("SSF014", "sample-is-none"),
        Rule("SSF015", "cached-sample-modified"),
        Rule("SSF016", "opencv-threads-in-worker"),
        Rule("SSF017", "python-random-in-worker", default=False),
    )
}

_HERE = Path(__file__).resolve().parent
_PAGES = (_HERE / "pages", _HERE.parents[1] / "docs" / "reference" / "lint")


def page(code: str) -> str:
    """Return the page of a rule, in Markdown.

    Args:
        code: A code of `RULES`.

    Raises:
        FileNotFoundError: The pages are not installed.
    """
    for folder in _PAGES:
        file = folder / f"{code}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(
        f"the page of {code} is in none of {', '.join(map(str, _PAGES))}: reinstall seedsafe"
    )


def summary(code: str) -> str:
    """The first sentence of a rule's page.

    Example:
        >>> summary("SSF007")
        'Checks for a `worker_init_fn` that seeds every worker with the same number.'
    """
    match = re.search(r"^## What it does\n+(.+?)(?:\n\n|\Z)", page(code), re.MULTILINE | re.DOTALL)
    return " ".join(match[1].split()).partition(". ")[0].rstrip(".") + "." if match else RULES[code].name
