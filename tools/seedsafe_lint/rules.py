"""The rules: codes, names, fixes and pages."""

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RETIRED", "RULES", "Rule", "current", "page", "summary"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code, its name in words, a line to paste, which says where it belongs, and whether it is on by default."""

    code: str
    name: str
    fix: str
    default: bool = True


_OFF = {"SSF017"}
_TABLE = r"""
SSF001 numpy-global-in-worker: rng = np.random.default_rng((self.seed, self.epoch, index))  # then rng.random() for np.random.rand()
SSF002 stored-generator-in-worker: rng = np.random.default_rng((self.seed, self.epoch, index))  # in the method that draws, not in __init__
SSF003 unseeded-library-in-worker: cv2.setRNGSeed(int(np.random.default_rng((self.seed, self.epoch, index)).integers(2**31)))  # before the draw
SSF004 constant-seed-per-sample: rng = np.random.default_rng((self.seed, self.epoch, index))
SSF005 outdated-worker-seed: np.random.seed(torch.initial_seed() % 2**32)
SSF006 worker-init-repeats-epochs: np.random.seed(torch.initial_seed() % 2**32)
SSF007 worker-init-ignores-worker: np.random.seed(torch.initial_seed() % 2**32)
SSF010 missing-set-epoch: sampler.set_epoch(epoch)  # the first line of the loop over epochs
SSF013 state-in-getitem: self.count = torch.zeros(1, dtype=torch.int64).share_memory_()  # in __init__
SSF014 sample-is-none: raise ValueError(f"sample {index} cannot be read")
SSF017 python-random-in-worker: rng = random.Random(f"{self.seed}/{self.epoch}/{index}")  # then rng.random() for random.random()
"""
RULES = {
    code: Rule(code, name, fix, default=code not in _OFF)
    for code, name, fix in re.findall(r"^(\w+) ([\w-]+): (.+)$", _TABLE, re.MULTILINE)
}

_RETIRED = "SSF008=SSF003 SSF009= SSF011= SSF012= SSF015= SSF016= SSF018=SSF004 SSF019=SSF001"
RETIRED: dict[str, str] = dict(pair.split("=") for pair in _RETIRED.split())
"""Codes of earlier versions, and the rule that reports such a place today, if there is one."""


def current(code: str) -> str:
    """Return today's code for a code of any version, or an empty string if the rule is gone.

    Example:
        >>> current("SSF018"), current("SSF001")
        ('SSF004', 'SSF001')
    """
    return RETIRED.get(code, code)


_HERE = Path(__file__).resolve().parent
_PAGES = (_HERE / "pages", _HERE.parents[1] / "docs" / "reference" / "lint")


def page(code: str) -> str:
    """Return the page of a rule in Markdown, or raise FileNotFoundError if the pages are not installed."""
    for folder in _PAGES:
        file = folder / f"{code}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(
        f"the page of {code} is missing in {' and '.join(map(str, _PAGES))}: reinstall seedsafe"
    )


def summary(code: str) -> str:
    """Return the first sentence of a rule's page.

    Example:
        >>> summary("SSF007")
        'Checks for a `worker_init_fn` that seeds every worker with the same number.'
    """
    match = re.search(r"^## What it does\n+(.+?)(?:\n\n|\Z)", page(code), re.MULTILINE | re.DOTALL)
    return " ".join(match[1].split()).partition(". ")[0].rstrip(".") + "." if match else RULES[code].name
