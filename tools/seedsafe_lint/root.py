"""A function that workers call."""

from dataclasses import dataclass

from seedsafe_lint.index import Class
from seedsafe_lint.values import Fn

__all__ = ["TRACED", "Root"]

TRACED = "tf.map"
"""The framework of functions that TensorFlow runs once, to trace them."""


@dataclass(frozen=True, slots=True)
class Root:
    """A function that workers call, with its name in messages.

    Its framework is ``torch``, ``keras``, ``tf.data``, `TRACED`, ``pool`` for tasks of processes, another one, or empty. It runs
    `per_sample` or batch, or else once for each epoch, and is `cured` if a correct ``worker_init_fn`` of the file seeds NumPy.
    The object of an `actor` is made in the worker.
    """

    fn: Fn
    label: str
    framework: str
    per_sample: bool = True
    cured: bool = False
    cls: Class | None = None
    actor: bool = False
