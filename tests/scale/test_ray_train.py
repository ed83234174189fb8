"""Ray Train: the epochs and shares of a keyed loader, on two workers as on one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import AUGMENT, IMAGES, LENGTH, SEED, digest, expected

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]


def train(config: dict[str, Any]) -> None:
    import ray.train

    from seedsafe_ray import prepare_data_loader
    from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, loader

    class Photographs:
        def __len__(self) -> int:
            return LENGTH

        def __getitem__(self, index: int) -> Any:
            return IMAGES[index], index

    dataset = AugmentedDataset(Photographs(), AUGMENT, seed=SEED)
    rank = ray.train.get_context().get_world_rank()
    sampler = DistributedKeyedSampler(dataset, seed=SEED, num_replicas=config["workers"], rank=rank)
    loading = prepare_data_loader(
        loader(dataset, batch_size=4, sampler=sampler, num_workers=config["loading"])
    )
    with Path(config["folder"], str(rank)).open("w") as file:
        for epoch in range(2):
            for images, numbers in loading:
                file.writelines(
                    f"{epoch} {int(number)} {digest(image.numpy())}\n"
                    for image, number in zip(images, numbers, strict=True)
                )


@pytest.mark.parametrize(("workers", "loading"), [(1, 0), (2, 0), (2, 2)])
def test_each_epoch_is_whole_and_its_own(cluster: Any, tmp_path: Path, workers: int, loading: int) -> None:
    from ray.train import RunConfig, ScalingConfig
    from ray.train.torch import TorchTrainer

    config = {"workers": workers, "loading": loading, "folder": str(tmp_path)}
    TorchTrainer(
        train,
        train_loop_config=config,
        scaling_config=ScalingConfig(num_workers=workers),
        run_config=RunConfig(storage_path=str(tmp_path / "run")),
    ).fit()
    lines = [
        line.split() for rank in range(workers) for line in (tmp_path / str(rank)).read_text().splitlines()
    ]
    for epoch in range(2):
        seen = Counter((int(number), made) for of, number, made in lines if int(of) == epoch)
        assert seen == expected(epoch, named=False)


def test_a_loader_without_shares_is_refused(cluster: Any, tmp_path: Path) -> None:
    from ray.train import RunConfig, ScalingConfig
    from ray.train.torch import TorchTrainer

    def wrong() -> None:
        from seedsafe_ray import prepare_data_loader
        from seedsafe_torch import AugmentedDataset, loader

        prepare_data_loader(loader(AugmentedDataset(IMAGES, AUGMENT, seed=SEED), batch_size=4))

    trainer = TorchTrainer(
        wrong,
        scaling_config=ScalingConfig(num_workers=2),
        run_config=RunConfig(storage_path=str(tmp_path)),
    )
    with pytest.raises(Exception, match="divides no samples, but there are 2 training workers"):
        trainer.fit()
