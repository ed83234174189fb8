"""Keras's fit on a loader of PyTorch."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["fit", "is_keyed"]

_FORM_READS: Final = 2
"""How many batches Keras reads before training to learn their form, at most: TensorFlow's backend takes two."""


def is_keyed(loading: Any) -> bool:
    """Return whether an object is a loader from ``seedsafe_torch.loader``, whose batches can be read without beginning a pass."""
    torch: Any = sys.modules.get("torch.utils.data")
    return torch is not None and isinstance(loading, torch.DataLoader) and hasattr(loading, "peek")


def fit(model: Any, loading: Any, callbacks: list[Any], fit_args: dict[str, Any]) -> Any:
    """Train a Keras 3 model on a loader. Each epoch is a pass over the loader; the batches that Keras reads before training are not.

    Args:
        model: the compiled model.
        loading: a loader from ``seedsafe_torch.loader``.
        callbacks: the user's callbacks.
        fit_args: other arguments of ``model.fit``.

    Raises:
        ValueError: ``steps_per_epoch`` is given, or a loader of unknown length resumes within an epoch.
    """
    length = _length(loading)
    steps = fit_args.pop("steps_per_epoch", None)
    if steps not in (None, length):
        raise ValueError(
            f"steps_per_epoch={steps} would carry batches of one epoch into the next: leave it out, because an epoch is one pass "
            "over the loader"
        )
    if fit_args.get("initial_epoch"):
        loading.set_epoch(fit_args["initial_epoch"])
    resumed = bool(loading.state_dict().get("yielded"))
    if resumed and length is None:
        raise ValueError(
            "Keras would end every epoch after as many batches as are left of this one, because the loader has no length: resume at an "
            "epoch's end, or give the source a __len__"
        )
    import keras

    passes = _passes_class()(loading, length)
    begin = keras.callbacks.LambdaCallback(on_train_begin=passes.begin)
    with warnings.catch_warnings():
        if resumed or _is_stream(loading):
            warnings.filterwarnings("ignore", message="Your input ran out of data")  # an epoch may be shorter
        return model.fit(passes, **{**fit_args, "callbacks": [begin, *callbacks], "shuffle": False})


def _length(loading: Any) -> int | None:
    """Return the number of batches, or None if it is unknown. How a stream's workers divide it may cost each of them one more."""
    try:
        return len(loading) + (loading.num_workers if _is_stream(loading) else 0)
    except (TypeError, NotImplementedError):
        return None


def _is_stream(loading: Any) -> bool:
    return loading.batch_sampler is None and not hasattr(loading.dataset, "__getitem__")


def _passes_class() -> Any:
    """Return the class of a loader that Keras takes, and that reads another loader."""
    from torch.utils.data import DataLoader

    class Passes(DataLoader[Any]):
        training = False

        def __init__(self, loading: Any, length: int | None) -> None:  # it is never read as a DataLoader
            self.loading = loading
            self.length = length
            self.last: Any = iter(())
            self.batch_size = None  # Keras derives from it how large the last batch is
            self.dataset: Any = (
                iter(()) if length is None else ()
            )  # Keras asks for the length if this has one

        def begin(self, logs: Any) -> None:
            """Note that training begins, so that what Keras reads from now on is no look."""
            self.training = True

        def __len__(self) -> int:
            return self.length or 0

        def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
            return self._pass() if self.training else iter(self.loading.peek(_FORM_READS))

        def _pass(self) -> Iterator[Any]:
            self.end()
            batches = self.last = iter(self.loading)
            for number, batch in enumerate(batches, 1):
                # Keras reads no further than the length, and so would leave the pass without its end.
                yield from [batch, *batches] if number == self.length else [batch]

        def end(self) -> None:
            """End the pass that Keras read last, which must have no more batches."""
            batches, self.last = self.last, iter(())
            if self.length is None and next(batches, None) is not None:
                raise ValueError(
                    "this pass has more batches than the first, and Keras leaves them out: give the source of the stream a __len__"
                )

    return Passes
