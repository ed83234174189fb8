"""Samplers that draw, keyed or told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

from seedsafe.bridging.again import states_of
from seedsafe.bridging.generators import State, Stateful, generator_of, global_generators
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.region import Region
from seedsafe.bridging.sources import globals_for
from seedsafe.bridging.words import Words
from seedsafe.keys.key import Address, SampleKey, address, op_of
from seedsafe.reading.checks import checked_items

__all__ = ["checked_order", "keyed_order"]

_DRAWS: Final = op_of("seedsafe/sampler/draws")
_END: Final = object()


def keyed_order(
    items: Callable[[], Iterator[Any]],
    held: Iterable[tuple[str, Any]],
    key: Callable[[int], SampleKey],
    options: Bridge,
) -> Iterator[Any]:
    """Yield a sampler's items from generators that are set when the pass begins, and kept apart between items.

    Each item is a region of its own, since training goes on between two items.

    Args:
        items: begins the pass.
        held: the generators that the sampler holds, with their names.
        key: returns the key of an item, by its number. All numbers follow from the first one's, but those of generators without a seed
            that an item makes.
        options: the options of the bridge.

    Example:
        >>> import random
        >>> from itertools import islice
        >>> def order():
        ...     while True:
        ...         yield random.randrange(1000)
        >>> keyed = keyed_order(order, [], lambda number: SampleKey(42, 0, number), Bridge())
        >>> list(islice(keyed, 3))
        [224, 204, 800]
    """
    own = _stateful(held)
    source: Iterator[Any] | None = None
    between: list[tuple[Stateful, State]] = []

    def step(at: Address) -> Any:
        nonlocal source, between
        before = states_of(own)
        try:
            if source is None:
                for generator in own:
                    generator.key(Words(at))
                source = items()
            for generator, state in between:
                generator.set(state)
            item = next(source, _END)
            between = states_of((*global_generators(), *own))
        finally:
            for generator, state in before:
                generator.set(state)
        return item

    for number in count():
        item = Region(address(key(number), _DRAWS), globals_for(options)).run(step)
        if item is _END:
            return
        yield item


def checked_order(
    items: Callable[[], Iterator[Any]],
    held: Iterable[tuple[str, Any]],
    tell: Callable[[str], None],
) -> Iterator[Any]:
    """Yield a sampler's items, and report the names of generators that move while it alone runs.

    Args:
        items: begins the pass.
        held: the generators that the sampler holds, with their names.
        tell: is called once.
    """
    generators = (*global_generators(), *_stateful(held))

    def tells(moved: Sequence[Stateful]) -> bool:
        if moved:
            tell(" and ".join(generator.name for generator in moved))
        return bool(moved)

    return checked_items(items, lambda _: generators, tells)


def _stateful(held: Iterable[tuple[str, Any]]) -> list[Stateful]:
    found = (generator_of(name, thing, segment) for segment, (name, thing) in enumerate(held))
    return [generator for generator in found if generator is not None]
