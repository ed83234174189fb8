"""Clips of videos: which frames they have. Integers alone."""

from __future__ import annotations

from typing import Final

__all__ = ["SHORT", "clip_frames"]

SHORT: Final = ("loop", "repeat", "error")
"""What a clip has beyond the video's last frame."""


def clip_frames(start: int, length: int, stride: int, frames: int, short: str = "loop") -> tuple[int, ...]:
    """Return the numbers of a clip's frames in a video.

    Args:
        start: the first frame.
        length: how many frames the clip has.
        stride: how far they are apart.
        frames: how many frames the video has.
        short: beyond the last frame, "loop" goes on with the first, "repeat" stays at the last; "error" raises.

    Raises:
        ValueError: the clip ends after the video, and `short` is "error".

    Example:
        >>> clip_frames(4, 3, 2, 30), clip_frames(0, 5, 2, 6), clip_frames(0, 5, 2, 6, "repeat")
        ((4, 6, 8), (0, 2, 4, 0, 2), (0, 2, 4, 5, 5))
    """
    if short == "error" and start + (length - 1) * stride >= frames:
        raise ValueError(
            f"{length} frames with a stride of {stride} need a video of {start + (length - 1) * stride + 1} frames, got {frames}: "
            'pass a smaller stride, or short="loop" or "repeat"'
        )
    wanted = range(start, start + length * stride, stride)
    if short == "repeat":
        return tuple(min(one, frames - 1) for one in wanted)
    return tuple(one % frames for one in wanted)
