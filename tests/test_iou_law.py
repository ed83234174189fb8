"""RandomIoUCrop draws windows as the rule of single-shot detectors does, written here once more, one trial after another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address

COUNT = 3000
ROWS, COLUMNS = 200, 300
BOXES = np.array([[20.0, 30, 140, 150], [180, 60, 290, 190], [100, 100, 130, 120]])
OPTIONS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
Window = tuple[int, int, int, int]


def shared_enough(window: Window, least: float) -> bool:
    """Whether a window shows the middle of a box, and overlaps enough with one of those."""
    left, top, width, height = window
    best = -1.0
    for x0, y0, x1, y1 in BOXES:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if not (left < x < left + width and top < y < top + height):
            continue
        across = max(0.0, min(x1, left + width) - max(x0, left))
        down = max(0.0, min(y1, top + height) - max(y0, top))
        union = (x1 - x0) * (y1 - y0) + width * height - across * down
        best = max(best, across * down / union)
    return best >= least


def rule(rng: np.random.Generator, options: tuple[float, ...], trials: int) -> Window | None:
    """A window by the rule that torchvision follows, with as many rounds as it takes; None for the image as it is."""
    while True:
        least = options[int(rng.integers(len(options)))]
        if least >= 1.0:
            return None
        for _ in range(trials):
            width, height = (int(side * rng.uniform(0.3, 1.0)) for side in (COLUMNS, ROWS))
            if not 0.5 <= width / height <= 2.0:
                continue
            window = (
                int((COLUMNS - width) * rng.random()),
                int((ROWS - height) * rng.random()),
                width,
                height,
            )
            if shared_enough(window, least):
                return window


def ours(options: tuple[float, ...], trials: int) -> list[Window | None]:
    crop = ss.RandomIoUCrop(sampler_options=options, trials=trials)
    info = ss.Info((ROWS, COLUMNS), boxes=BOXES)
    found: list[Window | None] = []
    for k in range(COUNT):
        made = crop.draw(Draws(address(ss.SampleKey(7, 0, k))), info)
        found.append((made.left, made.top, made.width, made.height) if made.chosen else None)
    return found


@pytest.mark.parametrize(
    ("options", "trials"), [((0.0,), 40), ((0.3,), 40), ((0.6,), 40), (OPTIONS, 40), (OPTIONS, 5)]
)
def test_windows_are_those_of_the_rule(options: tuple[float, ...], trials: int) -> None:
    rng = np.random.default_rng(3)
    wanted = [rule(rng, options, trials) for _ in range(COUNT)]
    found = ours(options, trials)
    whole = [sum(window is None for window in one) for one in (found, wanted)]
    table = [whole, [COUNT - one for one in whole]]
    if any(whole):
        assert stats.chi2_contingency(table).pvalue > 1e-4
    columns = [np.array([window for window in one if window is not None]).T for one in (found, wanted)]
    for mine, other in zip(*columns, strict=True):
        assert stats.ks_2samp(mine, other).pvalue > 1e-4
    # The shape and the place depend on each other: shares of what is common to both.
    for one, other in ((0, 2), (1, 3), (2, 3)):
        mine, theirs = (column[one] * 1000.0 + column[other] for column in columns)
        products = [column[one].astype(float) * column[other] for column in columns]
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-4
        assert stats.ks_2samp(*products).pvalue > 1e-4
