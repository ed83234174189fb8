"""What is said of a transform, once, for all tests and pages that go over the transforms."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import seedsafe as ss
from cases.laws import Law
from seedsafe.ground.exactness import ARCHITECTURE, BUILD, MACHINES
from seedsafe.pipeline.primitive import marks_of

__all__ = [
    "ANY",
    "AROUND",
    "COVERS",
    "EXACT",
    "GREY_OR_RGB",
    "NOISE",
    "NOTHING",
    "RECOLOURS",
    "REPEATS",
    "RGB",
    "TEARS",
    "Case",
    "Drawn",
    "Golden",
    "Memory",
    "Moves",
]

EXACT = "exact"
"""Image, mask, box and keypoint stay together; a box is as small as what is seen of its object."""
AROUND = "around"
"""As EXACT, but a box is the one around the moved box, which may be larger than what is seen."""
REPEATS = "repeats"
"""An object may be seen twice, and has one box: it is not followed."""
TEARS = "tears"
"""The image is cut apart: single pixels are followed."""
RECOLOURS = "recolours"
"""As AROUND, but colours change too: what is bright is not followed."""
COVERS = "covers"
"""Nothing moves; parts are hidden, and boxes shrink to what is left. `mask_fill` is 7, `fill` is 200."""

ANY, GREY_OR_RGB, RGB = "any", "grey or RGB", "RGB"
"""The channels that a transform takes."""

NOTHING = "nothing beyond its chance"
NOISE = "nothing but the address of its noise"


@dataclass(frozen=True)
class Moves:
    """A transform that moves or hides pixels, and how: see EXACT and the words below it."""

    transform: ss.Transform
    how: str = EXACT
    _: KW_ONLY
    window: bool = False
    """Whether it is larger than the smallest images, which are refused."""


@dataclass(frozen=True)
class Drawn:
    """A transform, what it is applied to, and the laws of what it draws then."""

    transform: ss.Transform
    info: ss.Info
    laws: Sequence[Law]


@dataclass(frozen=True)
class Golden:
    """A pipeline, or the one transform of it, whose draws at some keys are stored and never change."""

    transform: Any
    shape: tuple[int, ...] | ss.Info

    @property
    def pipeline(self) -> Any:
        """The pipeline: a Compose, or what mixes batches."""
        one = self.transform
        return ss.Compose([one]) if isinstance(one, ss.Transform) else one

    def machines(self, dtype: str) -> str:
        """Return where its pixels are the same bits, as its transforms declare it: MACHINES, ARCHITECTURE or BUILD."""
        return _machines(self.transform, dtype)


def _machines(one: Any, dtype: str) -> str:
    """Return where what a transform makes is the same bits; a container is as the least exact of its transforms."""
    declared = marks_of(type(one)).exact
    if declared is not None:
        return declared.of(one, dtype)
    members = [_machines(member, dtype) for member in getattr(one, "transforms", ())]
    return max(members or [BUILD], key=(MACHINES, ARCHITECTURE, BUILD).index)


@dataclass(frozen=True)
class Memory:
    """What a call takes besides its result and one buffer of its input's size, for an image of 256 by 256 pixels."""

    more: int = 0
    """Bytes that each call takes."""
    kept: int = 0
    """Bytes that a thread keeps for its next call, times the bytes of a value."""
    warped: bool = False
    """Whether a thread keeps RGB images as RGBA, given and made: OpenCV warps these twice as fast."""
    again: bool = False
    """Whether it makes a part of its result first, and no buffer of its input's size."""
    why: str = ""


@dataclass(frozen=True)
class Case:
    """A transform, as all tests over the transforms, the pictures and the reference pages read it.

    Most need little: the class, `drawn`, `golden`; `moves` where it moves pixels; `picture` where the defaults show little.
    """

    kind: Any
    """The class."""
    _: KW_ONLY
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What it cannot be made without, or is too large without: sizes up to 24 pixels, or 64 audio samples."""
    needs: str | None = None
    """What a sample must have beside its image: "boxes", "mask", or a "dataset" around it."""
    also: Mapping[str, ss.Transform] = field(default_factory=dict)
    """More of it, by a name, with options that take another way through the code; they always fire."""
    tried: Sequence[ss.Transform] | None = None
    """What the laws of small images (or audio) are tried on; None is the transform as `arguments` make it."""
    of_audio: Sequence[ss.Transform] = ()
    """A transform of images, made for audio."""
    channels: str = ANY
    """The channels that it takes: ANY, GREY_OR_RGB or RGB."""
    alone: bool = False
    """Whether it takes an image without mask, boxes and keypoints, and refuses them."""
    any_dtype: bool = False
    """Whether it takes more dtypes than uint8 and float32."""
    in_range: bool = True
    """Whether float32 from 0 to 1 stays there."""
    becomes: str | None = None
    """The dtype of its results; None is that of the image."""
    moves: Sequence[Moves] = ()
    """How it moves or hides pixels. Each class that touches masks, boxes or keypoints must say it."""
    drawn: Sequence[Drawn] | str
    """The laws of what it draws, or why there are none here; NOTHING and NOISE are checked."""
    golden: Mapping[str, Golden] = field(default_factory=dict)
    """Pipelines with stored draws, by a name that no other case has."""
    picture: str = ""
    """The arguments for its picture in the reference, as code."""
    views: bool = False
    """Whether its picture counts views instead of indices."""
    shown: bool = True
    """Whether a picture shows what it does; values and layouts are not seen."""
    memory: Mapping[str, Memory] = field(default_factory=dict)
    """What it takes more than others: of all of it under "", of one of `also` under its name."""
    called: Sequence[str] = ()
    """Its names in `seedsafe_albumentations`."""
    holds: bool = False
    """Whether it holds transforms or functions, or mixes batches, and does nothing to a sample by itself."""

    @property
    def name(self) -> str:
        """The public name."""
        return str(self.kind.__name__)

    def make(self, **options: Any) -> Any:
        """Return the transform with what it cannot be made without, and these options."""
        return self.kind(**{**self.arguments, **options})

    @property
    def fires(self) -> ss.Transform:
        """The transform, made so that it always fires."""
        made: ss.Transform = self.make(**({"p": 1} if "p" in inspect.signature(self.kind).parameters else {}))
        return made

    @property
    def small(self) -> Sequence[ss.Transform]:
        """What the laws of small images or audio are tried on."""
        return [self.make()] if self.tried is None else self.tried

    @property
    def takes(self) -> tuple[str, ...]:
        """What it is applied to, of "image", "audio" and "spectrogram"; "video" if to whole videos alone."""
        known = ("image", "audio", "spectrogram", "video")
        return tuple(one for one in known if hasattr(self.kind, f"apply_{one}"))

    def memory_of(self, also: str) -> Memory:
        """Return what one of `also` takes, or the transform itself ("")."""
        return self.memory.get(also, self.memory.get("", Memory()))
