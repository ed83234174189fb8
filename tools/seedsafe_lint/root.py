"""A function that workers call."""

from dataclasses import dataclass

from seedsafe_lint.index import Class
from seedsafe_lint.values import Fn

__all__ = ["TRACED", "Root"]

TRACED = "tf.map"
"""The framework of functions that TensorFlow runs once, to trace them."""


@dataclass(frozen=True, slots=True)
class Root:
    """A function that workers call.

    Args:
        fn: The function, bound to its object.
        label: Its name in messages.
        framework: ``torch``, ``keras``, ``tf.data``, `TRACED`, ``pool`` for tasks of processes, another one, or empty.
        per_sample: Whether it runs once for each sample or batch, and not once for each epoch.
        cured: Whether a correct ``worker_init_fn`` of the same file seeds NumPy for it.
        cls: The class, if it is a method.
        actor: Whether its object is made in the worker.
    """

    fn: Fn
    label: str
    framework: str
    per_sample: bool = True
    cured: bool = False
    cls: Class | None = None
    actor: bool = False
