"""What traced code does with an image."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["Chance", "Known", "OfPictures", "Several", "Stored", "filled", "same"]


class Stored(NamedTuple):
    """A transform that an image goes through, and where it is stored."""

    path: str
    theirs: Any


class Known:
    """A call of a function of Pillow or torchvision, as a transform. Its public attributes are the function's arguments.

    Args:
        kind: the transform's name in the table of conversions.
        call: does to an image what the function does.
        arguments: the arguments.

    Example:
        >>> Known("RandomSolarize", abs, threshold=128, p=1.0)
        Solarize(threshold=128)
    """

    def __init__(self, kind: str, call: Callable[[Any], Any], **arguments: Any) -> None:
        self._kind, self._call = kind, call
        vars(self).update(arguments)

    @property
    def kind(self) -> str:
        """The transform's name in the table of conversions."""
        return self._kind

    def __call__(self, image: Any) -> Any:
        """Return what the function returns."""
        return self._call(image)

    def _content(self) -> Any:
        return self._kind, {name: value for name, value in vars(self).items() if name != "_call"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value!r}"
            for name, value in vars(self).items()
            if not name.startswith("_") and name != "p"
        )
        return f"{self._kind.removeprefix('Random').removeprefix('PIL.')}({shown})"


class _Whole:
    """Some transforms as one, which is called like the object that has them."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        self.__name__ = type(whole).__name__


class Chance(_Whole):
    """Transforms that an image goes through with a probability, and others that it goes through else.

    Args:
        p: the probability.
        then: the first ones.
        otherwise: the others.
        whole: the object that has them.
    """

    def __init__(self, p: float, then: Sequence[Stored], otherwise: Sequence[Stored], whole: Any) -> None:
        super().__init__(whole)
        self.p, self.then, self.otherwise = p, tuple(then), tuple(otherwise)

    def __call__(self, image: Any) -> Any:
        """Return the image after the one or the other transforms."""
        for stored in self.then if random.random() < self.p else self.otherwise:
            image = stored.theirs(image)
        return image


class OfPictures(_Whole):
    """Transforms that a PIL image goes through. What happens to a tensor is unknown.

    Args:
        chain: the transforms.
        whole: the object that has them.
    """

    def __init__(self, chain: Sequence[Stored], whole: Any) -> None:
        super().__init__(whole)
        self.chain = tuple(chain)

    def __call__(self, image: Any) -> Any:
        """Return what the object returns."""
        return self.whole(image)


class Several(list[tuple[Stored, ...]]):
    """The transforms of each of several images.

    Args:
        chains: the transforms of each.
        form: how the code returns the images: a dict, list or tuple of the images' numbers, or None for a
            plain list or tuple of all.
    """

    def __init__(self, chains: Sequence[tuple[Stored, ...]], form: Any = None) -> None:
        super().__init__(chains)
        self.form = form


def filled(form: Any, images: Sequence[Any]) -> Any:
    """Return a form with images instead of their numbers."""
    if isinstance(form, dict):
        return {name: filled(part, images) for name, part in form.items()}
    if isinstance(form, list | tuple):
        return type(form)([filled(part, images) for part in form])
    return images[form] if type(form) is int else form


def same(theirs: Any) -> Any:
    """Return what is equal for transforms that do the same: the same object, or code with the same effects."""
    if isinstance(theirs, Known):
        return theirs
    if isinstance(theirs, Chance):
        chains = (tuple(same(stored.theirs) for stored in chain) for chain in (theirs.then, theirs.otherwise))
        return theirs.p, *chains
    if isinstance(theirs, OfPictures):
        return tuple(same(stored.theirs) for stored in theirs.chain)
    return id(theirs)
