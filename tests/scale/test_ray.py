"""Ray Data: a row has the bytes that the torch adapter gives its sample, whatever runs it."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import AUGMENT, IMAGES, LENGTH, SEED, digest, expected

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]


def rows(ray: Any) -> Any:
    return ray.data.from_items([{"id": n, "image": IMAGES[n]} for n in range(LENGTH)])


def counted(dataset: Any, image: str = "image") -> Counter[tuple[int, str]]:
    return Counter((int(row["id"]), digest(row[image])) for row in dataset.take_all())


def test_a_row_has_the_bytes_of_the_torch_adapter(cluster: Any) -> None:
    from seedsafe_ray import augment

    torch = AugmentedDataset(IMAGES, AUGMENT, seed=SEED)
    for epoch in range(2):
        given = Counter((n, digest(torch.at(n, epoch=epoch))) for n in range(LENGTH))
        assert given == expected(epoch, named=False)
        assert counted(augment(rows(cluster), AUGMENT, seed=SEED, epoch=epoch)) == given


@pytest.mark.parametrize("blocks", [1, 7])
@pytest.mark.parametrize("actors", [False, True])
def test_blocks_batches_and_actors_change_nothing(cluster: Any, blocks: int, actors: bool) -> None:
    from seedsafe_ray import augment

    options = {"compute": cluster.data.ActorPoolStrategy(size=2)} if actors else {}
    dataset = augment(rows(cluster).repartition(blocks), AUGMENT, seed=SEED, epoch=1, batch_size=5, **options)
    assert counted(dataset) == expected(1, named=False)


def test_a_killed_worker_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    from seedsafe_ray import augment

    mark = tmp_path / "killed"

    def dies_once(row: dict[str, Any]) -> dict[str, Any]:
        if row["id"] == 9 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), 9)
        return row | {"image": AUGMENT(row["image"])}  # its key is the row's

    dataset = augment(rows(cluster).repartition(4), dies_once, seed=SEED, epoch=0)
    wanted = Counter(
        (n, digest(AUGMENT(IMAGES[n], key=ss.SampleKey(SEED, 0, n, call=1)))) for n in range(LENGTH)
    )
    assert counted(dataset) == wanted
    assert mark.exists()


def test_targets_and_ragged_results(cluster: Any) -> None:
    from seedsafe_ray import augment

    class Rows(ss.ImageTransform):
        def draw(self, rng: ss.Draws, info: ss.Info) -> int:
            return 1 + rng.integer(9)

        def apply_image(self, image: Any, params: int) -> Any:
            return image[:params].copy()

    photos = cluster.data.from_items([{"id": n, "photo": IMAGES[n], "word": f"w{n}"} for n in range(9)])
    made = augment(photos, Rows(), seed=SEED, epoch=0, targets={"photo": "image"}).take_all()
    for row in made:
        wanted = Rows()(IMAGES[row["id"]], key=ss.SampleKey(SEED, 0, int(row["id"])))
        assert (np.asarray(row["photo"]) == wanted).all()
        assert row["word"] == f"w{row['id']}"


def test_errors(cluster: Any) -> None:
    from seedsafe_ray import augment

    with pytest.raises(ValueError, match="seedsafe sets batch_format itself, got batch_format='pandas'"):
        augment(rows(cluster), AUGMENT, seed=SEED, epoch=0, batch_format="pandas")
    with pytest.raises(Exception, match="no entry 'name' for its id"):
        augment(rows(cluster), AUGMENT, seed=SEED, epoch=0, id_column="name").take_all()
