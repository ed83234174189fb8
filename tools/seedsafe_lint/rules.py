"""The rules: codes, names, fixes and pages."""

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
        fix: A line to paste, with a comment that says where.
        default: Whether it is on by default.
    """

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
SSF008 worker-init-forgets-generator: cv2.setRNGSeed(torch.initial_seed() % 2**31)  # in the worker_init_fn
SSF009 sampler-ignores-epoch: generator = torch.Generator().manual_seed(self.seed + self.epoch)  # in __iter__
SSF010 missing-set-epoch: sampler.set_epoch(epoch)  # the first line of the loop over epochs
SSF011 epoch-with-persistent-workers: persistent_workers=False
SSF012 epoch-counted-in-hook: keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: data.set_epoch(epoch))
SSF013 state-in-getitem: self.count = torch.zeros(1, dtype=torch.int64).share_memory_()  # in __init__
SSF014 sample-is-none: raise ValueError(f"sample {index} cannot be read")
SSF015 cached-sample-modified: image = self.images[index].copy()
SSF016 opencv-threads-in-worker: cv2.setNumThreads(0)
SSF017 python-random-in-worker: rng = random.Random(f"{self.seed}/{self.epoch}/{index}")  # then rng.random() for random.random()
SSF018 hash-or-set-order-in-sample: seed = zlib.crc32(name.encode())  # for hash(name); sorted(names) for list(set(names))
SSF019 pool-after-seed: rng = np.random.default_rng((seed, task))  # in the function that the pool runs
"""
RULES = {
    code: Rule(code, name, fix, default=code not in _OFF)
    for code, name, fix in re.findall(r"^(\w+) ([\w-]+): (.+)$", _TABLE, re.MULTILINE)
}

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
