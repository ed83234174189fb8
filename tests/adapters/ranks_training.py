"""A training of several ranks: each step's checkpoint holds the state and what was served so far. Run by torchrun."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from contract import AUGMENT, SEED, Photographs, digest

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, loader


class Keyed:
    """The contract's photographs; each sample says under which key it was made."""

    def __call__(self, sample: Any, *, key: ss.SampleKey) -> Any:
        image = AUGMENT(sample, key=key)
        note = np.frombuffer(digest(image), np.uint8)
        return np.concatenate([np.array([key.index, key.epoch, key.occurrence]), note])


def listed(batch: Any) -> list[list[Any]]:
    keys, _ = batch
    return [[*row[:3], bytes(row[3:]).hex()] for row in keys.tolist()]


def main(settings: dict[str, Any]) -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    checkpoint = Path(settings["checkpoint"])
    sampler = DistributedKeyedSampler(
        len(Photographs()), seed=SEED, drop_last=bool(settings.get("drop_last"))
    )
    loading = loader(
        AugmentedDataset(Photographs(), Keyed(), seed=SEED),
        batch_size=settings["batch"],
        sampler=sampler,
        num_workers=settings["workers"],
    )
    served: list[Any] = []
    begun = 0
    if checkpoint.exists():
        stored = json.loads(checkpoint.read_text())
        served, begun = stored["served"], stored["state"]["epoch"]
        loading.load_state_dict(stored["state"])
    step = 0

    def die(place: int) -> None:
        if (rank, step, place) == tuple(
            settings.get(name, -1) for name in ("kill_rank", "kill_step", "kill_place")
        ):
            os.kill(os.getpid(), signal.SIGKILL)

    def store() -> None:
        partial = checkpoint.with_suffix(".partial")
        if rank == 0:
            partial.write_text(json.dumps({"served": served, "state": loading.state_dict()}))
        die(1)
        if rank == 0:
            partial.replace(checkpoint)
        die(2)
        dist.barrier()

    for _ in range(begun, settings["epochs"]):
        for batch in loading:
            die(0)
            shares: list[Any] = [None] * dist.get_world_size()
            dist.all_gather_object(shares, listed(batch))
            served = served + [one for items in zip(*shares, strict=True) for one in items]
            store()
            step += 1
            if step == settings.get("stop"):
                dist.destroy_process_group()
                return
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(json.loads(sys.argv[1]))
