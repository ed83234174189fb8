"""Was the dataset augmented when it was made?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from seedsafe.bridging.region import Replayed
from seedsafe_audit import state
from seedsafe_audit.content import arrays_of
from seedsafe_audit.draws import UsersSeeds, draws_of, other_seed
from seedsafe_audit.loaders import tell
from seedsafe_audit.questions.context import Context, Finding
from seedsafe_audit.subject import subject_of

__all__ = ["augmented_once"]

_SEED, _SAMPLES = 77, 16
_FEW, _NEAR = 8, 0.9  # numbers; of the usual distance between two samples


def augmented_once(ctx: Context) -> Finding | None:
    """Make the dataset once more with other seeds, and compare its samples with the first ones.

    Samples that are new and yet alike have been augmented when the dataset was made. Random data, and records that are chosen
    or shuffled, are not alike.
    """
    make = ctx.subject.make
    if make is None or ctx.subject.iterable:
        return None
    every = ctx.order.indices[ctx.order.repeats :]
    indices = every[:: max(1, len(every) // _SAMPLES)][:_SAMPLES]

    def work(say: Callable[[str], None]) -> Iterator[tuple[bool, list[str]]]:
        def read(dataset: Any) -> list[Any]:
            tell(dataset, 0)
            state.seed(_SEED)  # alike, so that what is drawn in the reads does not differ
            for generator in state.generators(dataset).values():
                with suppress(Exception):
                    generator.set(next(generator.others()))
            return [_numbers(dataset[index]) for index in indices]

        with Replayed(_SEED), UsersSeeds(partial(other_seed, number=1)):
            result, lines = draws_of(make)
        first, again = read(ctx.subject.dataset), read(subject_of(result, ctx.subject.loader).dataset)
        yield _are_alike(first, again), list(map(str, lines))

    (outcome,) = ctx.call("made again", work)
    if not outcome.items or not outcome.items[0][0]:
        return None
    text = (
        "augmented once: what the dataset draws when it is made is the same in every epoch. Draw in each read, from "
        "ss.generator(key)"
    )
    return Finding("warning", text, outcome.items[0][1], indices, "dataset")


def _numbers(sample: Any) -> list[Any]:
    """Return the numbers of each part of a sample; those of an array without its brightness and contrast."""
    found = [array.astype(float).ravel() for array in arrays_of(sample) if array.dtype.kind in "biuf"]
    return [(one - one.mean()) / (one.std() or 1) if one.size > _FEW else one for one in found]


def _are_alike(first: list[Any], again: list[Any]) -> bool:
    """Return whether samples are new, and most of these resemble those at their index more than others.

    Parts that are never new, such as labels, do not count.
    """
    pairs = [
        (one, two)
        for one, two in zip(first, again, strict=True)
        if [*map(np.size, one)] == [*map(np.size, two)]
    ]
    parts = range(min((len(one) for one, _ in pairs), default=0))
    drawn = [part for part in parts if any(not np.array_equal(one[part], two[part]) for one, two in pairs)]
    whole = [[np.concatenate([one[part] for part in drawn]) for one in pair] for pair in pairs if drawn]
    new = [(one, two) for one, two in whole if not np.array_equal(one, two)]
    alike = 0
    for one, two in new:
        others = [other for other, _ in new if other is not one and other.shape == two.shape]
        # Sorted, because a crop or a turn moves the values.
        alike += _resembles(one, two, *others) or _resembles(*map(np.sort, (one, two, *others)))
    return len(new) > 1 and 2 * alike > len(new)


def _resembles(one: Any, two: Any, *others: Any) -> bool:
    """Return whether two are nearer to each other than the second is to any of the others."""
    near, away = np.abs(one - two).mean(), [np.abs(other - two).mean() for other in others]
    usual = np.median(away) if away else 0
    nearer = 3 * near < usual if one.size <= _FEW else near < min([_NEAR * usual, *away])
    return bool(nearer) or np.allclose(one, two)
