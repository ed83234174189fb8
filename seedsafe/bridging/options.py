"""The options of a bridge, and its error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

__all__ = ["Bridge", "NotReproducible", "checked_bridge"]


class NotReproducible(RuntimeError):  # noqa: N818  # names what the code is, as StopIteration names what happened
    """Code gave two results for one key, or bridged code the same draws for different keys.

    Example:
        >>> import seedsafe as ss
        >>> issubclass(ss.NotReproducible, RuntimeError)
        True
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """Options of a bridge.

    `random`, NumPy's global generator and, if torch is loaded, its CPU generator are always keyed: each gets the whole
    state of its Mersenne Twister, 19,968 bits.

    Args:
        opencv: also key OpenCV's generator, 32 bits wide. OpenCV's state cannot be read, so outside workers the generator
            afterwards continues from a number that was drawn from it before the sample.
        tensorflow: also key TensorFlow's global seed.
        cuda: also key the generators of all CUDA devices.
        verify: check the first 32 calls of a run, and calls 64, 128, 256 and so on. False checks nothing.
        equal: what generators in equal states get, such as two with one seed for an image and its mask. None: one stream
            for two, and of more for those of one role, such as the k-th of two lists, with a warning. "together": one stream for all.
            "apart": a stream each.

    Raises:
        TypeError: opencv, tensorflow, cuda or verify is not a bool.
        ValueError: equal is something else.

    Example:
        >>> Bridge(opencv=True)
        Bridge(opencv=True, tensorflow=False, cuda=False, verify=True, equal=None)
    """

    opencv: bool = False
    tensorflow: bool = False
    cuda: bool = False
    verify: bool = True
    equal: str | None = None

    def __post_init__(self) -> None:
        for name in ("opencv", "tensorflow", "cuda", "verify"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} must be True or False, got {value!r}")
        if self.equal not in (None, "together", "apart"):
            raise ValueError(
                f'equal must be "together", "apart" or None, got {self.equal!r}: pass "together" if generators in equal '
                'states are meant to give equal numbers, or "apart" if not'
            )

    def require(self) -> None:
        """Raise a RuntimeError if an option needs a library that has not been imported."""
        for needed, module in ((self.opencv, "cv2"), (self.tensorflow, "tensorflow"), (self.cuda, "torch")):
            if needed and module not in sys.modules:
                option = {"cv2": "opencv", "torch": "cuda"}.get(module, module)
                raise RuntimeError(
                    f"{option}=True keys the generators of {module}, which this process has not imported: "
                    f"import {module} before the first sample, or leave the option out"
                )


def checked_bridge(bridge: Any) -> Bridge | None:
    """Return the options for a value of `bridge=`: the defaults for True, None for no bridge."""
    if isinstance(bridge, Bridge):
        return bridge
    if bridge is None or bridge is False:
        return None
    if bridge is True:
        return Bridge()
    raise TypeError(
        f"bridge must be True, False or a Bridge, got {bridge!r}: pass Bridge(opencv=True), for instance"
    )
