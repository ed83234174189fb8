"""The frame numbers of video clips."""

from __future__ import annotations

from typing import Final

__all__ = ["SHORT", "clip_frames"]

SHORT: Final = ("loop", "repeat", "error")
"""Ways to continue a clip after the video's last frame; see `clip_frames`."""


def clip_frames(start: int, length: int, stride: int, frames: int, short: str = "loop") -> tuple[int, ...]:
    """Return the frame numbers of a clip.

    Args:
        start: the first frame.
        length: the number of frames in the clip.
        stride: the distance between two frames.
        frames: the number of frames in the video.
        short: after the video's last frame, "loop" continues with the first and "repeat" repeats the last; "error" raises.

    Raises:
        ValueError: the clip ends after the video, and `short` is "error".

    Example:
        >>> clip_frames(4, 3, 2, 30), clip_frames(0, 5, 2, 6), clip_frames(0, 5, 2, 6, "repeat")
        ((4, 6, 8), (0, 2, 4, 0, 2), (0, 2, 4, 5, 5))
    """
    if short == "error" and start + (length - 1) * stride >= frames:
        raise ValueError(
            f"a clip of {length} frames with a stride of {stride} needs a video of {start + (length - 1) * stride + 1} frames, "
            f'got {frames}: pass a smaller stride, or short="loop" or "repeat"'
        )
    numbers = range(start, start + length * stride, stride)
    if short == "repeat":
        return tuple(min(one, frames - 1) for one in numbers)
    return tuple(one % frames for one in numbers)
