"""The ranks of a run."""

from __future__ import annotations

import os
from typing import NamedTuple

import torch.distributed

from seedsafe.reading import checked_int

__all__ = ["Ranks", "ranks_of"]


class Ranks(NamedTuple):
    """How many ranks a run has, and which of them this process is."""

    number: int
    rank: int
    alone: bool
    """Whether nobody named any, so that this process took itself for the only one."""

    def check(self, what: str) -> None:
        """Raise a ValueError if torch.distributed had its ranks only after something was made for one."""
        if self.alone and _has_ranks() and (ranks := torch.distributed.get_world_size()) > 1:
            raise ValueError(
                f"this {what} was made for one rank, before torch.distributed had its {ranks}, which would all "
                "serve the same samples: make it after init_process_group, or pass num_replicas= and rank="
            )


def ranks_of(what: str, num_replicas: int | None, rank: int | None) -> Ranks:
    """Return the ranks that are given, or else those of torch.distributed.

    Raises:
        ValueError: they are out of their range, or missing in a run that is to have several.
    """
    alone = num_replicas is None and rank is None and not _has_ranks()
    if alone and os.environ.get("WORLD_SIZE", "1") == "1":
        num_replicas, rank = 1, 0
    elif num_replicas is None or rank is None:
        if not _has_ranks():
            raise ValueError(
                f"num_replicas or rank is missing, and torch.distributed is not initialised: call init_process_group first, make "
                f"the {what} where a trainer has done so, as in the train_dataloader method of Lightning's module, or pass both"
            )
        num_replicas = torch.distributed.get_world_size() if num_replicas is None else num_replicas
        rank = torch.distributed.get_rank() if rank is None else rank
    number = checked_int("num_replicas", num_replicas, 1, 2**31, "pass the number of ranks")
    return Ranks(number, checked_int("rank", rank, 0, number, "ranks count from 0"), alone)


def _has_ranks() -> bool:
    return torch.distributed.is_available() and torch.distributed.is_initialized()
