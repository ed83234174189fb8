"""MMEngine's Runner and TorchTNT: the epochs follow each other, also from their checkpoints."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # torchvision's, which others import
import pytest
import torch
from recorded import Batches, expected, from_loader, from_sampler, listed

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # their imports warn
    from mmengine.model import BaseModel
    from mmengine.runner import Runner
    from torchtnt.framework.state import State
    from torchtnt.framework.train import train
    from torchtnt.framework.unit import TrainUnit

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

EPOCHS = 3
LOADERS = pytest.mark.parametrize("make", [from_loader, from_sampler])
WORKERS = pytest.mark.parametrize("workers", [0, 2])


class Model(BaseModel):  # type: ignore[misc]  # untyped
    """One weight; it writes down what it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: Batches = []

    def forward(self, inputs: Any, mode: str = "loss") -> Any:
        return {"loss": self.weight.sum() * inputs.float().mean()}

    def train_step(self, data: Any, optim_wrapper: Any) -> Any:
        self.seen.append(listed(data))
        return super().train_step({"inputs": data}, optim_wrapper)


def run(loading: Any, folder: Path, loop: Any, resume: bool) -> Batches:
    model = Model()
    checkpoints = {"type": "CheckpointHook", "interval": 1, "by_epoch": loop["by_epoch"]}
    Runner(
        model=model,
        work_dir=str(folder),
        train_dataloader=loading,
        train_cfg=loop,
        optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1}},
        default_hooks={"checkpoint": checkpoints},
        resume=resume,
        log_level="ERROR",
        experiment_name=f"{folder.name}-{id(model)}",
    ).train()
    return model.seen


@WORKERS
@LOADERS
@pytest.mark.parametrize("by_epoch", [True, False])
def test_mmengine(
    make: Any, workers: int, by_epoch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")  # its checkpoints hold classes of its own

    def loop(epochs: int, batches: int) -> Any:
        end = {"max_epochs": epochs} if by_epoch else {"max_iters": batches}
        return {"by_epoch": by_epoch} | end

    begun = run(make(workers), tmp_path, loop(1, 6), resume=False)
    rest = run(make(workers), tmp_path, loop(EPOCHS, 12), resume=True)
    assert begun + rest == expected(EPOCHS)


class Unit(TrainUnit[torch.Tensor]):  # type: ignore[misc]  # untyped
    """It writes down what it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Batches = []

    def train_step(self, state: State, data: torch.Tensor) -> None:
        self.seen.append(listed(data))


@WORKERS
@LOADERS
def test_torchtnt(make: Any, workers: int) -> None:
    begun, rest = Unit(), Unit()
    train(begun, make(workers), max_epochs=1)
    rest.train_progress.load_state_dict(begun.train_progress.state_dict())
    train(rest, make(workers), max_epochs=EPOCHS)
    assert begun.seen + rest.seen == expected(EPOCHS)
