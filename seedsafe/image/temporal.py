"""TemporalSample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.clip import SHORT, clip_frames
from seedsafe.ground.checks import checked_int, choice, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.corner_crops import view_of
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import VideoTransform

__all__ = ["Frames", "TemporalSample"]


class Frames(NamedTuple):
    """The numbers of the frames to keep, in order."""

    indices: tuple[int, ...]


@primitive(exact=EVERYWHERE, opencv=False)
class TemporalSample(VideoTransform):
    """Keep n frames of a video, at random positions.

    Draws the stride (word 1), then the first frame of each segment (from word 2), as ``integer`` does. A segment is an
    equal part of the positions where a clip can begin; with more segments than positions, some share one. With `clips`,
    draws only whether it fires: the first frame is in the middle of the view's part of the segment, so a dataset with
    ``views=10`` returns ten clips.

    Args:
        n_frames: the number of frames to keep in all segments together.
        stride: the distance between frames, or a range (low, high) of integers to draw it from.
        segments: the number of equal parts of the video; each has n_frames / segments frames, `stride` apart.
            ``TemporalSample(8, segments=8)`` keeps one frame of each eighth, as in TSN; 1 is one dense clip.
        clips: None draws where a clip begins. A number divides each segment into that many equal parts, and a clip
            begins in the middle of part (view modulo `clips`). 1 is the middle of the segment.
        short: how a clip continues after the last frame of a video that is too short: "loop" starts again with the first
            frame, "repeat" repeats the last, "error" raises, also if there are more segments than frames.

    Raises:
        ValueError: when applied, the video is too short and `short` is "error".

    Follows the segments of TSN (Wang et al., 2016) and the dense clips of I3D and SlowFast, as in mmaction2's
    ``SampleFrames`` (``clip_len=n_frames / segments``, ``frame_interval=stride``, ``num_clips=segments``).

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
        checked_int, 1, 2**16, "pass the number of clips, or None to draw", default=None, kw_only=True
    )
    short: str = option(choice, SHORT, default="loop", kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.n_frames % self.segments:
            raise ValueError(
                f"n_frames must be a multiple of segments, got {self.n_frames} and {self.segments}: pass a multiple"
            )
        if self.clips is not None and self.stride[0] != self.stride[1]:
            raise ValueError(
                f"stride must be one number with clips, got {self.stride}: pass one number, or leave clips out"
            )

    def indices(self, frames: int, *, key: SampleKey | None = None) -> list[int]:
        """Return the numbers of the frames to decode: those that this transform would keep of the whole video.

        Args:
            frames: the number of frames of the video.
            key: the sample's key. The ``__getitem__`` of a dataset that an AugmentedDataset or AugmentedSequence reads
                may leave it out: the key is then that of the current read, with a number for each call, as in a call of
                a pipeline.

        Returns:
            n_frames integers in [0, frames).

        Raises:
            TypeError: there is no key, and no read to take it from.
            ValueError: frames is less than 1, or too small with `short="error"`.
        """
        count = checked_int("frames", frames, 1, 2**32, "pass the number of frames of the video")
        augment = Compose([self])
        applied = augment.params(augment.next_key() if key is None else key, {"video": (count, 1, 1)})
        return list(applied[0].params.indices)

    def draw(self, rng: Draws, info: Info) -> Frames:
        info.frame()
        frames = info.shape[0]
        low, high = self.stride
        stride = low if self.clips else low + rng.integer(high - low + 1)
        length = self.n_frames // self.segments
        starts = max(frames - (length - 1) * stride, 1)
        if self.short == "error" and frames < self.segments:
            raise ValueError(
                f'{self.segments} segments need at least as many frames, got {frames}: pass fewer segments, or short="loop" or "repeat"'
            )
        indices: list[int] = []
        for segment in range(self.segments):
            first = segment * starts // self.segments
            count = max((segment + 1) * starts // self.segments - first, 1)
            if self.clips:
                first += (2 * (view_of(rng) % self.clips) + 1) * count // (2 * self.clips)
            else:
                first += rng.integer(count)
            indices += clip_frames(first, length, stride, frames, self.short)
        return Frames(tuple(indices))

    def out_info(self, info: Info, params: Any) -> Info:
        return info.reshaped(self.n_frames, *info.shape[1:])

    def apply_video(self, video: Array, params: Any) -> Array:
        frames: Array = np.take(video, params[0], axis=0)
        return frames

    def apply_video_mask(self, video_mask: Array, params: Any) -> Array:
        masks: Array = np.take(video_mask, params[0], axis=0)
        return masks
