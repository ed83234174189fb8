"""TemporalSample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.clip import SHORT, clip_frames
from seedsafe.ground.checks import choice, span
from seedsafe.ground.info import Array, Info
from seedsafe.image.corner_crops import view_of
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import SampleKey, checked_int
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import VideoTransform

__all__ = ["Frames", "TemporalSample"]


class Frames(NamedTuple):
    """The numbers of the frames that are kept, in their order."""

    indices: tuple[int, ...]


def _clips(name: str, value: Any, *how: Any) -> int | None:
    return None if value is None else checked_int(name, value, *how)


@primitive(opencv=False)
class TemporalSample(VideoTransform):
    """Keep n frames of a video, from drawn places. Exact on every machine.

    Draws the stride (word 1), then the first frame of each segment (words 2 and on), as ``integer`` does. A segment is an equal
    part of the places where a clip can begin; with more segments than places some have the same. With `clips` nothing is
    drawn but the chance: the first frame is in the middle of the view's part of the segment, so that a dataset with ``views=10``
    gives ten clips.

    Args:
        n_frames: how many frames are kept, all segments together.
        stride: how many frames apart they are, or a range (low, high) of integers to draw it from.
        segments: into how many equal parts the video is divided; each gives n_frames / segments frames, `stride` apart.
            ``TemporalSample(8, segments=8)`` is one frame of each eighth, as in TSN; 1 is one dense clip.
        clips: None draws where a clip begins. A number divides each segment into so many equal parts and takes the middle of one: of
            that of the view, modulo `clips`. 1 is the middle of the segment.
        short: what comes after the last frame where a video has fewer than a clip needs: "loop" goes on with the first, "repeat"
            repeats the last, "error" raises, also where there are more segments than frames.

    Raises:
        ValueError: when applied, the video is too short and `short` is "error".

    Follows the segments of TSN (Wang et al., 2016) and the dense clips of I3D and SlowFast, as mmaction2's ``SampleFrames`` has them
    (``clip_len=n_frames / segments``, ``frame_interval=stride``, ``num_clips=segments``).

    Example:
        >>> sample = TemporalSample(4, stride=2)
        >>> sample(np.arange(30, dtype=np.uint8).reshape(30, 1, 1), key=SampleKey(42, 0, 0)).ravel().tolist()
        [9, 11, 13, 15]
        >>> sample.indices(30, key=SampleKey(42, 0, 0))
        [9, 11, 13, 15]
    """

    n_frames: int = option(checked_int, 1, 2**20, "pass the number of frames to keep")
    stride: Option[int | tuple[int, int], tuple[int, int]] = option(
        span, 1, 2**20, "pass the distance between frames", default=1, kw_only=True, whole=True
    )
    segments: int = option(checked_int, 1, 2**20, "pass the number of segments", default=1, kw_only=True)
    clips: int | None = option(
        _clips, 1, 2**16, "pass the number of clips, or None to draw", default=None, kw_only=True
    )
    short: str = option(choice, SHORT, default="loop", kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.n_frames % self.segments:
            raise ValueError(
                f"n_frames must be a multiple of segments, got {self.n_frames} and {self.segments}: each segment gives as many"
            )
        if self.clips is not None and self.stride[0] != self.stride[1]:
            raise ValueError(
                f"stride must be one number where clips are given, got {self.stride}: nothing is drawn then"
            )

    def indices(self, frames: int, *, key: SampleKey | None = None) -> list[int]:
        """Return which frames of a video to decode, before any is: what this transform would keep of the whole video.

        Args:
            frames: how many frames the video has.
            key: of the sample. It may be left out in the ``__getitem__`` of a dataset that an AugmentedDataset or AugmentedSequence
                reads; then it is the key of that sample, with a number for each call, as in a call of a pipeline.

        Returns:
            n_frames numbers from 0 on, below `frames`.

        Raises:
            TypeError: there is no key outside a read.
            ValueError: frames is not at least 1, or less than are needed and `short` is "error".
        """
        count = checked_int("frames", frames, 1, 2**32, "pass the number of frames of the video")
        augment = Compose([self])
        applied = augment.params(augment.next_key() if key is None else key, {"video": (count, 1, 1)})
        return list(applied[0].params.indices)

    def draw(self, rng: Draws, info: Info) -> Frames:
        """Return the numbers of the frames."""
        info.frame()
        frames = info.shape[0]
        low, high = self.stride
        stride = low if self.clips else low + rng.integer(high - low + 1)
        length = self.n_frames // self.segments
        places = max(frames - (length - 1) * stride, 1)
        if self.short == "error" and frames < self.segments:
            raise ValueError(
                f'{self.segments} segments need as many frames, got {frames}: pass fewer segments, or short="loop" or "repeat"'
            )
        indices: list[int] = []
        for segment in range(self.segments):
            first = segment * places // self.segments
            count = max((segment + 1) * places // self.segments - first, 1)
            if self.clips:
                first += (2 * (view_of(rng) % self.clips) + 1) * count // (2 * self.clips)
            else:
                first += rng.integer(count)
            indices += clip_frames(first, length, stride, frames, self.short)
        return Frames(tuple(indices))

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the info of the kept frames."""
        return info.reshaped(self.n_frames, *info.shape[1:])

    def apply_video(self, video: Array, params: Any) -> Array:
        """Return the kept frames."""
        kept: Array = np.take(video, params[0], axis=0)
        return kept

    def apply_video_mask(self, video_mask: Array, params: Any) -> Array:
        """Return the masks of the kept frames."""
        kept: Array = np.take(video_mask, params[0], axis=0)
        return kept
