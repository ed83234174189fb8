"""The base of the user's own classes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

from seedsafe_albumentations.caller import RUNNING, bridge
from seedsafe_albumentations.named import Named
from seedsafe_albumentations.params import BboxParams, KeypointParams

__all__ = ["Own", "bare_pipeline", "pipeline_of"]


class Own:
    """Base of the user's own transforms and containers: a probability, and generators that the key sets."""

    p: float
    random_generator: Any
    py_random: Any
    decides: ClassVar[bool] = False
    """Whether its own ``__call__`` decides when it fires."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and cls.__module__.partition(".")[0] != __package__:
            cls.decides = True
            cls.__call__ = _with_key(vars(cls)["__call__"])  # type: ignore[method-assign]

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Set the generators for a sample."""
        self.random_generator = random_generator
        self.py_random = py_random

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the changed parts of a sample."""
        raise NotImplementedError(f"{type(self).__name__} has no __call__: define it")


def _with_key(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a user's ``__call__``, so that it runs under the key of a sample."""

    @functools.wraps(call)
    def call_with_key(self: Any, *arguments: Any, key: Any = None, **data: Any) -> Any:
        if RUNNING.get():
            return call(self, *arguments, **data)
        return pipeline_of(self)(*arguments, key=key, **data)

    return call_with_key


@functools.lru_cache(64)
def pipeline_of(own: Own) -> Named:
    """Return a pipeline of a transform or container of the user's own alone."""
    return bare_pipeline([bridge(own)])


def bare_pipeline(members: list[Any], to_tensor: Any = None) -> Named:
    """Return a pipeline for boxes in [0, 1] and for keypoints that are all kept."""
    keypoints = KeypointParams("xy", remove_invisible=False)
    return Named(members, to_tensor, BboxParams("albumentations"), keypoints)
