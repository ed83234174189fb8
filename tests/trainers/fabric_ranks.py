"""One Fabric loop on some ranks, started as a script: what each rank was served comes out as a JSON file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # before anything imports torchvision
from recorded import COUNT, SEED, Batches, from_loader, from_sampler, listed

from seedsafe_torch import DistributedKeyedSampler

EPOCHS = 3


def main(folder: Path, kind: str, workers: int, ranks: int, resume: str) -> None:
    import lightning

    fabric = lightning.Fabric(accelerator="cpu", devices=ranks, strategy="ddp")
    fabric.launch()
    batches = from_sampler(workers) if kind == "plain" else shared(workers)
    loading: Any = fabric.setup_dataloaders(batches)
    seen = train(fabric, loading, folder, resume)
    (folder / f"served-{resume}-{fabric.global_rank}.json").write_text(json.dumps(seen))


def train(fabric: Any, loading: Any, folder: Path, resume: str) -> Batches:
    """Return what a loop was served; one that begins saves after each step and each epoch."""
    state = {"batches": loading, "epoch": 0}
    if resume:
        fabric.load(folder / resume, state)
    seen = []
    for epoch in range(int(state["epoch"]), EPOCHS):
        for batch in loading:
            seen.append(listed(batch))
            if not resume:
                fabric.save(folder / f"step-{len(seen)}", {"batches": loading, "epoch": epoch})
        if not resume:
            fabric.save(folder / f"end-{len(seen)}", {"batches": loading, "epoch": epoch + 1})
    return seen


def shared(workers: int) -> Any:
    return from_loader(workers, shuffle=False, sampler=DistributedKeyedSampler(COUNT, seed=SEED))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
