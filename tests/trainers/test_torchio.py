"""TorchIO's Queue reads its sampler to learn its length, which spends no epoch."""

from __future__ import annotations

import operators  # noqa: F401  # torchvision's, which others import
import pytest
import torch
import torchio
from recorded import SEED

from seedsafe_torch import EpochOrder, KeyedSampler

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|no DataLoader)"),
]

SUBJECTS, EPOCHS, PATCHES = 6, 3, 2


class Numbered(torchio.SubjectsDataset):
    """Subjects whose voxels say under which key they were read."""

    def __init__(self) -> None:
        volume = torchio.ScalarImage(tensor=torch.zeros(1, 4, 4, 4))
        super().__init__([torchio.Subject(t1=volume) for _ in range(SUBJECTS)])

    def __getitem__(self, index: int) -> torchio.Subject:
        voxels = torch.full((1, 4, 4, 4), 100.0 * index.epoch + index)
        return torchio.Subject(t1=torchio.ScalarImage(tensor=voxels))


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("workers", [0, 2])
def test_its_epochs(workers: int, background: bool, told: bool) -> None:
    keyed = KeyedSampler(EpochOrder(SUBJECTS, seed=SEED), seed=SEED)
    queue = torchio.Queue(
        Numbered(),
        4,
        PATCHES,
        torchio.data.UniformSampler(2),
        subject_sampler=keyed,
        num_workers=workers,
        shuffle_subjects=False,
        shuffle_patches=False,
        start_background=background,
    )
    loading = torchio.SubjectsLoader(queue, batch_size=2)
    for epoch in range(EPOCHS):
        if told:
            keyed.set_epoch(epoch)
        order = EpochOrder(SUBJECTS, seed=SEED)
        order.set_epoch(epoch)
        served = [int(voxel) for batch in loading for voxel in batch["t1"][torchio.DATA][:, 0, 0, 0, 0]]
        assert served == [100 * epoch + index for index in order for _ in range(PATCHES)]
