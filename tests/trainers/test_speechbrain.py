"""SpeechBrain's Brain: its own checkpoints within an epoch and at its end, with its loaders and with ours."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # torchvision's, which others import
import pytest
import torch
from recorded import BATCH, COUNT, SEED, Batches, dataset, expected, from_loader, listed

from seedsafe_torch import EpochOrder, KeyedSampler

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its imports warn
    from speechbrain.core import Brain
    from speechbrain.utils.checkpoints import Checkpointer
    from speechbrain.utils.epoch_loop import EpochCounter

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

EPOCHS = 3


class Stop(Exception):  # noqa: N818  # the run is interrupted
    """The end of a run."""


class Recording(Brain):
    seen: Batches
    stop: int
    train: Any
    """The loader, or the sampler of SpeechBrain's own one, which drops the batches already read by itself."""

    def on_stage_start(self, stage: Any, epoch: int | None = None) -> None:
        assert epoch is not None
        if isinstance(self.train, KeyedSampler):
            self.train.set_epoch(epoch - 1)
        else:
            self.train.resume(step=self.step, epoch=epoch - 1)

    def compute_forward(self, batch: Any, stage: Any) -> Any:
        if len(self.seen) == self.stop:
            raise Stop
        self.seen.append(listed(batch))
        return self.modules.linear(batch.float().mean().view(1, 1))

    def compute_objectives(self, predictions: Any, batch: Any, stage: Any) -> Any:
        return predictions.sum()


def run(folder: Path, train: Any, options: Any, stop: int) -> Batches:
    """Train from the checkpoint in the folder, if there is one, with a checkpoint after each batch."""
    counter = EpochCounter(EPOCHS)
    linear = torch.nn.Linear(1, 1)
    checkpoints = Checkpointer(str(folder), recoverables={"linear": linear, "counter": counter})
    brain = Recording(
        {"linear": linear},
        lambda parameters: torch.optim.SGD(parameters, 0.01),
        run_opts={"ckpt_interval_steps": 1, "noprogressbar": True},
        checkpointer=checkpoints,
    )
    brain.seen, brain.stop, brain.train = [], stop, options.get("sampler", train)
    with suppress(Stop):
        brain.fit(counter, train, train_loader_kwargs=options)
    return brain.seen


def of_its_own(workers: int) -> Any:
    sampler = KeyedSampler(EpochOrder(COUNT, seed=SEED), seed=SEED)
    return dataset(), {"batch_size": BATCH, "sampler": sampler, "num_workers": workers}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    "make",
    [of_its_own, lambda n: (from_loader(n), {})],
    ids=["own", "loader"],
)
@pytest.mark.parametrize("stop", [1, 4, 6])
def test_from_its_checkpoints(tmp_path: Path, make: Any, workers: int, stop: int) -> None:
    begun = run(tmp_path, *make(workers), stop)
    rest = run(tmp_path, *make(workers), 10**6)
    assert begun + rest == expected(EPOCHS)
