"""What trainers ask of a loader: to go on from a place, and to keep to an epoch; and what they are refused."""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader

from seedsafe.reading import outermost
from seedsafe_torch.inner import chain_of, items_of_a_batch, keyed_of

__all__ = ["KEPT", "Callback", "go_on", "keeps_place", "told_alone", "wrapped"]


KEPT = (
    "batch_size",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "worker_init_fn",
    "prefetch_factor",
)
"""What is taken over from a trainer's own loader."""


class Callback:
    """A trainer's callback that does nothing at the events that it has no method for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("on_", "load_state_dict")):
            return lambda *arguments, **others: None
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def keeps_place(loading: DataLoader[Any]) -> bool:
    """Return whether a loader is one of `loader`, which stores where it stands and is told the epoch by its sampler."""
    return hasattr(loading, "hear")


def go_on(loading: DataLoader[Any], epoch: int, batches: int, ranks: int = 1) -> None:
    """Begin the next pass of a plain loader with a KeyedSampler after some batches of an epoch; leave any other as it is.

    Raises:
        ValueError: its ranks would all serve the same samples, or the place cannot be found in it.
    """
    keyed = keyed_of(loading)
    if keyed is None:
        return
    if ranks > 1 and not any(getattr(one, "num_replicas", 1) == ranks for one in chain_of(keyed)):
        raise ValueError(
            f"{ranks} processes would all serve the samples of one {type(keyed).__name__}: pass sampler="
            "DistributedKeyedSampler(dataset, seed=…)"
        )
    if keeps_place(loading) or keyed.epoch is not None:
        return
    items = items_of_a_batch(loading, keyed)
    if batches and (not items or batches > len(loading)):
        raise ValueError(
            f"the place after batch {batches} of epoch {epoch} cannot be found in this loader of {len(loading)}: make it with "
            "seedsafe_torch.loader, which stores its own, or resume from a checkpoint of an epoch's end"
        )
    keyed.load_state_dict({"epoch": epoch, "yielded": min(batches * items, len(keyed)) * keyed.stride})


def told_alone(dataset: Any) -> list[Any]:
    """Return the AugmentedDatasets in a dataset, whose epoch can be held whatever their samplers say."""
    return [one for one in outermost(dataset) if hasattr(one, "hold_epoch")]


def wrapped(sampler: Any) -> ValueError:
    """Return the error that says what is wrong with a sampler that shares out a KeyedSampler."""
    return ValueError(
        f"{type(sampler).__name__} shares out a KeyedSampler, so that ranks may serve one key twice and no run can be resumed "
        "within an epoch: give the loader sampler=DistributedKeyedSampler(dataset, seed=…), which is left alone, or for "
        "validation epoch=seedsafe.VALIDATION_EPOCH"
    )
