"""ultralytics: the train loader of its trainers, keyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

from torch.utils.data import DataLoader

from seedsafe_torch.trainers import keyed_like

__all__ = ["keyed_loader"]


def keyed_loader(loading: DataLoader[Any], trainer: Any, *, seed: SupportsIndex) -> Any:
    """Return a keyed loader to replace the one of an ultralytics trainer.

    Each sample gets ultralytics' own augmentation, which follows from (seed, epoch, index). Each epoch's order follows from
    (seed, epoch). Both hold for any number of workers and ranks, and in a run that resumes from ``last.pt``. Call it in
    ``get_dataloader`` of a subclass of the trainer, for ``mode="train"``. It keys all draws of the dataset; `multi_scale` is drawn
    in the training process and stays unkeyed.

    Args:
        loading: the loader from the trainer's own ``get_dataloader``.
        trainer: its ``epoch`` is read before each pass.
        seed: the seed of the run.

    Raises:
        ValueError: mosaics take the images that a worker read last, as ultralytics does without ``cache="ram"``.

    Example:
        >>> from types import SimpleNamespace
        >>> trainer = SimpleNamespace(epoch=3)
        >>> batches = keyed_loader(DataLoader([7, 8], shuffle=True), trainer, seed=42)
        >>> [batch.tolist() for batch in batches], batches.state_dict()
        ([[7], [8]], {'epoch': 4, 'yielded': 0})
    """
    dataset: Any = loading.dataset
    mosaic = trainer.args.mosaic if hasattr(dataset, "buffer") else 0
    if mosaic > 0 and dataset.cache != "ram":
        raise ValueError(
            f"mosaic={mosaic} with cache={dataset.cache!r} takes the images that a worker read last, so a sample depends on the "
            'workers: pass cache="ram", which takes images from the whole dataset, or mosaic=0'
        )
    return _TrainerLoader(lambda: keyed_like(loading, seed), trainer)


class _TrainerLoader:
    """A loader whose passes have the epoch of a trainer. `make` returns a new loader after the dataset changes."""

    def __init__(self, make: Callable[[], Any], trainer: Any) -> None:
        self._make = make
        self._loading = make()
        self._trainer = trainer

    def __len__(self) -> int:
        return len(self._loading)

    def __iter__(self) -> Iterator[Any]:
        self._loading.set_epoch(self._trainer.epoch)
        yield from self._loading

    def reset(self) -> None:
        """Make a new loader, because the trainer has turned the mosaic off."""
        self._loading = self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loading, name)
