"""A function that workers call, and what is known of who calls it."""

from dataclasses import dataclass

from seedsafe_lint.index import Class
from seedsafe_lint.values import Fn

__all__ = ["Root"]


@dataclass(frozen=True, slots=True)
class Root:
    """A function that workers call.

    Args:
        fn: The function, bound to its object.
        label: Its name for messages.
        framework: ``torch``, ``keras``, ``tf.data``, another one, or empty.
        per_sample: It runs once for a sample (or batch), not once for an epoch.
        cured: A correct ``worker_init_fn`` of the same file seeds NumPy for it.
        cls: The class whose method it is.
        dataset: That class derives from a framework's dataset.
    """

    fn: Fn
    label: str
    framework: str
    per_sample: bool = True
    cured: bool = False
    cls: Class | None = None
    dataset: bool = False
