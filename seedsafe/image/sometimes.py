"""What transforms of colour have in common: they change the image alone, with probability p."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from seedsafe.ground.checks import probability
from seedsafe.pipeline.transform import ImageTransform

__all__ = ["Often", "Sometimes", "store"]


def store(transform: Any, **values: Any) -> None:
    """Write checked options into a frozen transform that is being made."""
    for name, value in values.items():
        object.__setattr__(transform, name, value)


@dataclass(frozen=True, slots=True, repr=False)
class Often(ImageTransform):
    """A transform whose parameters are drawn: it fires for every sample unless p says otherwise."""

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    p: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        store(self, p=probability(self.p))


@dataclass(frozen=True, slots=True, repr=False)
class Sometimes(ImageTransform):
    """A transform that has little else to vary: it fires for half of the samples unless p says otherwise."""

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    p: float = field(default=0.5, kw_only=True)

    def __post_init__(self) -> None:
        store(self, p=probability(self.p))
