"""What transforms draw follows the law that they document: every parameter of every one, by Kolmogorov and Smirnov's test.

The laws stand in the cases; how they are written, in cases/laws.py.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS, Case
from cases.case import NOISE, NOTHING, Drawn
from cases.laws import AUDIO, IMAGE, SPECTROGRAM, Law, log_uniform, normal, one_of, part, share, uniform
from scipy import stats

import seedsafe as ss
from seedsafe.keys.draws import PooledDraws
from seedsafe.keys.key import Address, op_of

CASES = [one for case in TRANSFORMS.values() if not isinstance(case.drawn, str) for one in case.drawn]
COUNTS = [10_000, pytest.param(100_000, marks=pytest.mark.matrix)]
LEAST = 1e-6
"""The keys are fixed, so a law that holds once holds always; there are some 300 of them, of which none shall fail by chance."""


def drawn_of(transform: ss.Transform, info: ss.Info, count: int) -> list[Any]:
    """Return what a transform draws at so many keys: what ``params`` gives, without its bookkeeping."""
    draws, found, op = PooledDraws(), [], op_of(type(transform).__name__)
    for index in range(count):
        draws.enter(ss.SampleKey(11, 3, index))
        draws.to_stream(op)
        draws.word()
        found.append(transform.draw(draws, info))
    return found


def deviation(law: Law, drawn: list[Any]) -> float:
    """Return the probability that a law gives what was drawn, or something further from it."""
    spare = np.random.default_rng(0).random(len(drawn)).tolist()
    values = [law(one, other) for one, other in zip(drawn, spare, strict=True)]
    shares = np.array([value for value in values if value is not None])
    assert len(shares) > len(drawn) / 20
    return float(stats.kstest(shares, "uniform").pvalue)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case.transform)[:60])
def test_what_is_drawn(case: Drawn, count: int) -> None:
    drawn = drawn_of(case.transform, case.info, count)
    for law in case.laws:
        assert deviation(law, drawn) > LEAST


def test_it_is_what_pipelines_draw() -> None:
    for case in CASES:
        always = ss.Compose([case.transform])
        for index, drawn in enumerate(drawn_of(case.transform, case.info, 8)):
            (applied,) = always.params(ss.SampleKey(11, 3, index), case.info)
            assert applied.params in (drawn, None)  # None where its chance is against it


def lawful(case: Case) -> None:
    """Raise AssertionError where a case has no law of what its transform draws, and draws something."""
    if not isinstance(case.drawn, str):
        assert any(one.laws for one in case.drawn)
        assert all(type(one.transform) is case.kind for one in case.drawn)
    elif case.drawn in (NOTHING, NOISE):
        info = {"audio": AUDIO, "spectrogram": SPECTROGRAM}.get(case.takes[0], IMAGE)
        found = {repr(without_addresses(one)) for one in drawn_of(case.make(), info, 20)}
        assert len(found) == 1, "it draws more: name the laws"
    else:
        assert ": test_" in case.drawn or case.holds


def without_addresses(drawn: Any) -> list[Any]:
    """Return what was drawn without addresses of noise, and without which key it is."""
    return (
        [None if isinstance(one, Address) else one for one in drawn] if isinstance(drawn, tuple) else [drawn]
    )


@pytest.mark.parametrize("case", TRANSFORMS.values(), ids=lambda case: case.name)
def test_every_transform_has_its_laws(case: Case) -> None:
    lawful(case)


@pytest.mark.parametrize("drawn", [NOTHING, NOISE, [], "no idea"], ids=repr)
def test_a_transform_without_its_laws_is_noticed(drawn: Any) -> None:
    with pytest.raises(AssertionError):
        lawful(Case(ss.Gamma, drawn=drawn))


def test_another_law_is_noticed() -> None:
    drawn = drawn_of(ss.Amplitude((0.5, 2.0)), AUDIO, 10_000)
    for law in (
        uniform(part(0), 0.5, 2.1),
        uniform(part(0), 0.45, 2.0),
        log_uniform(part(0), 0.5, 2.0),
        normal(part(0), 1.25, 0.43),
    ):
        assert deviation(law, drawn) < LEAST
    turns = drawn_of(ss.RandomRotate90(), IMAGE, 10_000)
    assert deviation(one_of(lambda one: min(one[0], 2), range(3)), turns) < LEAST
    assert deviation(share(lambda one: one[0] == 0, 0.3), turns) < LEAST


# Whether they fire, and which of several


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("p", [0.1, 0.7])
@pytest.mark.parametrize(
    "kind", [ss.HorizontalFlip, ss.Transpose, ss.ToGray, ss.PolarityInversion, ss.ColorJitter]
)
def test_a_transform_fires_with_its_probability(kind: Any, p: float, count: int) -> None:
    pipeline, info = ss.Compose([kind(p=p)]), AUDIO if kind is ss.PolarityInversion else IMAGE
    fired = sum(
        pipeline.params(ss.SampleKey(5, 0, index), info)[0].params is not None for index in range(count)
    )
    assert stats.binomtest(fired, count, p).pvalue > LEAST


MEMBERS = [ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1), ss.Transpose(p=1), ss.Invert(p=1)]
NAMES = [type(member).__name__ for member in MEMBERS]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("container", "wanted"),
    [
        (ss.OneOf(MEMBERS), {(name,): 0.25 for name in NAMES}),
        (ss.OneOf(MEMBERS, p=0.4), {(): 0.6} | {(name,): 0.1 for name in NAMES}),
        (
            ss.Choice(MEMBERS, weights=[1, 2, 0, 5]),
            dict(zip([(n,) for n in NAMES], (0.125, 0.25, 0, 0.625), strict=True)),
        ),
        (ss.SomeOf(MEMBERS, n=2), dict.fromkeys(combinations(NAMES, 2), 1 / 6)),
        (ss.RandomApply(MEMBERS, p=0.3), {(): 0.7, tuple(NAMES): 0.3}),
    ],
    ids=["OneOf", "OneOf, p", "Choice", "SomeOf", "RandomApply"],
)
def test_what_containers_choose(container: Any, wanted: dict[tuple[str, ...], float], count: int) -> None:
    pipeline, seen = ss.Compose([container]), dict.fromkeys(wanted, 0)
    for index in range(count):
        record = pipeline.params(ss.SampleKey(5, 0, index), IMAGE)
        seen[tuple(one.name for one in record if one.name in NAMES and one.params is not None)] += 1
    likely = [name for name, chance in wanted.items() if chance]
    assert sum(seen[name] for name in likely) == count
    assert stats.chisquare([seen[n] for n in likely], [wanted[n] * count for n in likely]).pvalue > LEAST
