"""Sources of streams that several files' tests read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data import IterableDataset, get_worker_info

__all__ = ["Shares", "Stateful"]


class Shares:
    """A list, of which each worker iterates over its own share."""

    def __init__(self, records: Any) -> None:
        self.records = records

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        return iter(self.records if info is None else self.records[info.id :: info.num_workers])


class Stateful(IterableDataset[Any]):
    """A source that tells its state, of which each pass reads `records` anew."""

    def __init__(self, records: Iterable[Any]) -> None:
        self.records = records
        self.position = 0

    def __iter__(self) -> Iterator[Any]:
        start, self.position = self.position, 0
        for number, record in enumerate(self.records):
            if number >= start:
                self.position = number + 1
                yield record
        self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]
