"""Accelerate: loaders that it prepares, and resumes with skip_first_batches or its stateful loaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from accelerate import Accelerator, skip_first_batches
from accelerate.data_loader import prepare_data_loader
from accelerate.utils import DataLoaderConfiguration
from recorded import BATCH, COUNT, SEED, dataset, expected, from_loader, from_sampler, listed
from torch.utils.data import DataLoader

from seedsafe_torch import DistributedKeyedSampler
from seedsafe_torch.accelerate import epochs

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]

EPOCHS, STEPS = 3, 4


def prepared(make: Any, workers: int, stateful: bool = False) -> tuple[Accelerator, Any]:
    configuration = DataLoaderConfiguration(use_stateful_dataloader=stateful)
    accelerator = Accelerator(cpu=True, dataloader_config=configuration)
    return accelerator, accelerator.prepare(make(workers))


def unkeyed(workers: int) -> Any:
    return DataLoader(dataset(), batch_size=BATCH, num_workers=workers)


@pytest.mark.parametrize("make", [from_loader, from_sampler])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stateful", [False, True])
def test_epochs_follow_each_other(make: Any, workers: int, stateful: bool) -> None:
    _, loading = prepared(make, workers, stateful)
    assert [listed(batch) for _ in range(EPOCHS) for batch in loading] == expected(EPOCHS)


@pytest.mark.parametrize("workers", [0, 2])
def test_skip_first_batches(workers: int) -> None:
    for step in range(EPOCHS * STEPS):
        _, loading = prepared(from_loader, workers)
        begun, done = divmod(step, STEPS)
        seen = []
        for epoch in range(begun, EPOCHS):
            batches = skip_first_batches(loading, done) if epoch == begun else loading
            batches.set_epoch(epoch)
            seen += [listed(batch) for batch in batches]
        assert seen == expected(EPOCHS)[step:], f"after step {step}"


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("make", [from_loader, from_sampler, unkeyed])
def test_epochs_of_a_resumed_run(make: Any, workers: int) -> None:
    whole = [listed(batch) for _, batches in epochs(prepared(make, 0)[1], stop=EPOCHS) for batch in batches]
    assert whole[:STEPS] != whole[STEPS : 2 * STEPS]
    for step in (1, 4, 6, 11):
        start, skip = divmod(step, STEPS)
        run = epochs(prepared(make, workers)[1], start=start, skip=skip, stop=EPOCHS)
        seen = [(epoch, [listed(batch) for batch in batches]) for epoch, batches in run]
        assert [epoch for epoch, _ in seen] == list(range(start, EPOCHS))
        assert [batch for _, batches in seen for batch in batches] == whole[step:], f"after step {step}"
    with pytest.raises(ValueError, match="skip must be at least 0"):
        next(epochs(None, skip=-1))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("make", [from_loader, from_sampler])
def test_stateful_loaders_resume(workers: int, make: Any, tmp_path: Path) -> None:
    accelerator, loading = prepared(make, workers, stateful=True)
    for epoch in range(2):
        for step, _ in enumerate(loading):
            accelerator.save_state(str(tmp_path / f"{epoch * STEPS + step + 1}"))
    accelerator.save_state(str(tmp_path / "9"))  # after the epoch
    for step, name in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (8, 9)]:
        accelerator, loading = prepared(make, workers, stateful=True)
        accelerator.load_state(str(tmp_path / f"{name}"))
        seen = []
        for epoch in range(step // STEPS, EPOCHS):
            loading.set_epoch(epoch)
            seen += [listed(batch) for batch in loading]
        assert seen == expected(EPOCHS)[step:], f"after step {step}"


@pytest.mark.parametrize("workers", [0, 2])
def test_an_epoch_that_is_served_again_warns(workers: int) -> None:
    accelerator, loading = prepared(from_loader, workers)
    list(skip_first_batches(loading, 1))
    with pytest.warns(UserWarning, match="epoch 0 is served again, because a loader from Accelerate"):
        list(loading)
    batches = from_loader(workers)
    list(accelerator.prepare(batches))
    with pytest.warns(UserWarning, match="epoch 0 is served again, because a loader from Accelerate"):
        list(accelerator.prepare(batches))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stateful", [False, True])
def test_a_share_of_a_share_is_refused(workers: int, stateful: bool) -> None:
    def shared(processes: int) -> Any:
        keyed = DistributedKeyedSampler(COUNT, seed=SEED, num_replicas=2, rank=0)
        batches = from_loader(workers, shuffle=False, sampler=keyed)
        options = {"num_processes": processes, "process_index": 0, "use_stateful_dataloader": stateful}
        return prepare_data_loader(batches, **options)

    with pytest.raises(ValueError, match="give the loader shuffle=True instead of a DistributedKeyedSampler"):
        list(shared(2))
    with pytest.raises(
        ValueError, match="Accelerate itself shares a loader's batches out to its 2 processes"
    ):
        list(skip_first_batches(shared(2), 1))
    assert len(list(shared(1))) == 2
