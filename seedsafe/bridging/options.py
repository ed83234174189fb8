"""Bridge: what a bridge keys beyond the usual generators, and whether it checks what it bridges."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import Any

__all__ = ["Bridge", "NotReproducible", "checked_bridge"]


class NotReproducible(RuntimeError):  # noqa: N818  # what is bridged is so, as StopIteration is what happened
    """What is bridged gave two results for one key, or the same draws for different keys.

    Example:
        >>> import seedsafe as ss
        >>> issubclass(ss.NotReproducible, RuntimeError)
        True
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """Options of a bridge.

    `random`, NumPy's global generator and, where torch is loaded, its CPU generator are always keyed: each gets the
    whole state of its Mersenne Twister, 19,968 bits.

    Args:
        opencv: key OpenCV's generator too, 32 bits wide. OpenCV's state cannot be read: outside workers it continues
            from a number that was drawn from it before the sample.
        tensorflow: key TensorFlow's global seed too.
        cuda: key the generators of all CUDA devices too.
        verify: False leaves out the checks: of the first 32 calls of a run, and of calls 64, 128, 256 and so on.

    Raises:
        TypeError: an option is not a bool.

    Example:
        >>> Bridge(opencv=True)
        Bridge(opencv=True, tensorflow=False, cuda=False, verify=True)
    """

    opencv: bool = False
    tensorflow: bool = False
    cuda: bool = False
    verify: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, bool):
                raise TypeError(f"{field.name} must be True or False, got {value!r}")

    def require(self) -> None:
        """Raise an error if a library that is asked for has not been imported."""
        for asked, module in ((self.opencv, "cv2"), (self.tensorflow, "tensorflow"), (self.cuda, "torch")):
            if asked and module not in sys.modules:
                option = {"cv2": "opencv", "torch": "cuda"}.get(module, module)
                raise RuntimeError(
                    f"{option}=True keys the generators of {module}, which this process has not imported: "
                    f"import {module} before the first sample, or leave the option out"
                )


def checked_bridge(bridge: Any) -> Bridge | None:
    """Return the options that `bridge=` stands for: True for the usual ones, None for no bridge."""
    if isinstance(bridge, Bridge):
        return bridge
    if bridge is None or bridge is False:
        return None
    if bridge is True:
        return Bridge()
    raise TypeError(
        f"bridge must be True, False or a Bridge, got {bridge!r}: pass Bridge(opencv=True), for instance"
    )
