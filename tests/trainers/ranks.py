"""One training on two ranks, started as a script: what each rank was served comes out as a JSON file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # before anything imports torchvision
from recorded import BATCH, COUNT, SEED, dataset, from_loader, from_sampler
from torch.utils.data import DataLoader, DistributedSampler

from seedsafe_torch import DistributedKeyedSampler, KeyedSampler
from seedsafe_torch.lightning import ResumeCallback


def shared() -> DataLoader[Any]:
    keyed = DistributedKeyedSampler(COUNT, seed=SEED)
    return DataLoader(dataset(), batch_size=BATCH, sampler=keyed, num_workers=1)


def shared_loader() -> DataLoader[Any]:
    return from_loader(1, shuffle=False, sampler=DistributedKeyedSampler(COUNT, seed=SEED))


def sharing() -> DataLoader[Any]:
    keyed = KeyedSampler(DistributedSampler(range(COUNT)), seed=SEED)
    return DataLoader(dataset(), batch_size=BATCH, sampler=keyed)


MAKE = {
    "shared": shared,
    "loader": shared_loader,
    "alone": lambda: from_loader(0),
    "plain": lambda: from_sampler(2),
    "sharing": sharing,
}
"""What train_dataloader returns, by the run's kind."""


def main(folder: Path, kind: str, resume: str) -> None:

    import lightning
    from lightning.pytorch.callbacks import ModelCheckpoint
    from test_lightning import Model

    model = Model(MAKE[kind])
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[
            *([ResumeCallback()] if kind == "shared" else []),
            ModelCheckpoint(folder, "{step}", every_n_train_steps=1, save_top_k=-1),
            ModelCheckpoint(folder, "end-{step}", every_n_epochs=1, save_top_k=-1),
        ],
    )
    trainer.fit(model, ckpt_path=folder / resume if resume else None, weights_only=False)
    served = folder / f"served-{resume}-{trainer.global_rank}.json"
    served.write_text(json.dumps(model.seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
