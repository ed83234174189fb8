"""skorch, fastai and timm: epochs follow each other, and are the same for any number of workers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import operators  # noqa: F401  # torchvision's, which fastai and timm import
import pytest
import torch
from recorded import BATCH, COUNT, SEED, Batches, dataset, expected, from_loader, listed

from seedsafe_torch import AugmentedDataset, KeyedSampler, loader
from seedsafe_torch.timm import keyed_loader

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

EPOCHS = 2


class Weight(torch.nn.Module):
    """One weight; it writes down what it is trained on."""

    seen: Batches

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(listed(x))
        return self.weight * x.float().mean(dim=1)


@pytest.mark.parametrize("workers", [0, 2])
def test_fastai(workers: int) -> None:
    from fastai.data.core import DataLoaders
    from fastai.learner import Learner

    def pairs(samples: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        rows = torch.stack([torch.as_tensor(sample) for sample in samples])
        return rows, torch.zeros(len(rows))

    class Fits(Weight):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) if self.training else self.weight * x.float().mean(dim=1)

    model = Fits()
    loading = from_loader(workers, collate_fn=pairs)
    learner = Learner(
        DataLoaders(loading, [(torch.zeros(1, 3), torch.zeros(1))]),
        model,
        loss_func=torch.nn.L1Loss(),
        lr=0.1,
    )
    with learner.no_logging():
        learner.fit(EPOCHS)
    assert model.seen == expected(EPOCHS)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("split", [False, True])
def test_skorch(workers: int, split: bool) -> None:
    from skorch import NeuralNet
    from skorch.dataset import ValidSplit

    class Pairs(torch.utils.data.Dataset[Any]):
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __len__(self) -> int:
            return len(self.inner)

        def __getitem__(self, index: int) -> Any:
            return torch.as_tensor(self.inner[index]), torch.zeros(1)

    class Trains(Weight):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) if self.training else self.weight * x.float().mean(dim=1)

    net = NeuralNet(
        Trains,
        criterion=torch.nn.L1Loss,
        max_epochs=EPOCHS,
        batch_size=BATCH,
        train_split=ValidSplit(5) if split else None,
        verbose=0,
        iterator_train=loader,
        iterator_train__shuffle=True,
        iterator_train__num_workers=workers,
    )
    net.fit(Pairs(dataset()), y=None)
    served = net.module_.seen
    if split:
        keys = [tuple(sample) for batch in served for sample in batch]
        trained = len(keys) // EPOCHS
        assert 0 < trained < COUNT
        assert [epoch for _, epoch, _ in keys] == [0] * trained + [1] * trained
        assert len({index for index, _, _ in keys}) == trained
    else:
        assert served == expected(EPOCHS)


@pytest.mark.parametrize("workers", [0, 2])
def test_timms_loader_sets_the_transform_of_the_base(workers: int) -> None:
    from timm.data import create_loader

    class Pictures:
        transform: Any = None

        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            from PIL import Image

            picture = Image.fromarray(np.full((40, 40, 3), 10 * index, np.uint8))
            return self.transform(picture) if self.transform else picture, index

    def passes(workers: int) -> list[torch.Tensor]:
        data = AugmentedDataset(Pictures(), seed=SEED, bridge=True)
        loading = create_loader(
            data,
            (3, 32, 32),
            4,
            is_training=True,
            use_prefetcher=False,
            num_workers=workers,
            persistent_workers=False,
        )
        assert data.reader.base.transform is not None
        found = []
        for epoch in range(EPOCHS):
            data.set_epoch(epoch)
            rows = sorted(
                (
                    (int(n), image)
                    for images, numbers in loading
                    for n, image in zip(numbers, images, strict=True)
                ),
                key=lambda pair: pair[0],
            )
            found.append(torch.stack([image for _, image in rows]))
        return found

    one, other = passes(0), passes(workers)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(one[0], one[1])


def test_timms_repeated_augmentation_gives_no_key_to_two_ranks() -> None:
    from timm.data.distributed_sampler import RepeatAugSampler

    def keys(rank: int) -> list[tuple[int, int, int]]:
        sampler = RepeatAugSampler(range(COUNT), num_replicas=2, rank=rank, selected_ratio=1)
        keyed = KeyedSampler(sampler, seed=SEED)
        return [(int(one), one.epoch, one.occurrence) for _ in range(EPOCHS) for one in keyed]

    one, other = keys(0), keys(1)
    assert len(set(one + other)) == len(one) + len(other) == 2 * EPOCHS * COUNT
    copies = {index for index, epoch, _ in one if epoch == 0} & {
        index for index, epoch, _ in other if epoch == 0
    }
    assert copies  # the ranks do share samples
    assert [epoch for _, epoch, _ in one] == [0] * COUNT + [1] * COUNT


class Photographs:
    """Photographs of one colour each, through the transform that timm sets."""

    transform: Any = None

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        from PIL import Image

        return self.transform(Image.fromarray(np.full((40, 40, 3), 20 * index, np.uint8))), index


def by_timm(workers: int, wrap: bool, **options: Any) -> Any:
    from timm.data import create_loader

    data = AugmentedDataset(Photographs(), seed=SEED, bridge=True) if wrap else Photographs()
    options |= {"num_workers": workers, "device": torch.device("cpu"), "mean": (0.5,) * 3, "std": (0.25,) * 3}
    return keyed_loader(create_loader(data, (3, 32, 32), BATCH, is_training=True, **options), seed=SEED)


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize(
    "options", [{"use_prefetcher": False, "re_prob": 1.0, "re_mode": "pixel"}, {"use_prefetcher": True}]
)
def test_timms_own_augmentation_and_order_follow_the_key(wrap: bool, options: dict[str, Any]) -> None:
    def passes(workers: int) -> list[Any]:
        loading = by_timm(workers, wrap, **options)
        return [[(numbers.tolist(), images) for images, numbers in loading] for _ in range(EPOCHS)]

    one, other = passes(0), passes(2)
    for mine, theirs in zip(one, other, strict=True):
        assert [numbers for numbers, _ in mine] == [numbers for numbers, _ in theirs]
        pairs = zip(mine, theirs, strict=True)
        assert all(torch.equal(a, b) for (_, a), (_, b) in pairs)
    keys = [
        [[index for index, _, _ in batch] for batch in epoch] for epoch in (expected(2)[:3], expected(2)[4:7])
    ]
    assert [[numbers for numbers, _ in epoch] for epoch in one] == keys  # timm drops the last batch
    assert not torch.equal(one[0][0][1], one[1][0][1])


def test_what_timm_draws_in_the_training_process_is_refused() -> None:
    with pytest.raises(
        ValueError, match="pass use_prefetcher=False to create_loader, which then erases in each"
    ):
        by_timm(0, False, use_prefetcher=True, re_prob=1.0)
    with pytest.raises(
        ValueError, match="a plain BatchSampler, got _RepeatSampler: leave out use_multi_epochs"
    ):
        by_timm(0, False, use_prefetcher=False, use_multi_epochs_loader=True)


@pytest.mark.filterwarnings("default")
def test_what_timm_draws_there_is_told_where_its_loader_is_made() -> None:
    from timm.data import create_loader

    options: Any = {
        "is_training": True,
        "num_workers": 0,
        "device": torch.device("cpu"),
        "persistent_workers": False,
    }

    def made(**more: Any) -> Any:
        return create_loader(
            AugmentedDataset(Photographs(), seed=SEED, bridge=True), (3, 32, 32), BATCH, **options, **more
        )

    with pytest.warns(
        UserWarning, match="prefetcher erases in the training process.*pass use_prefetcher=False"
    ):
        made(re_prob=0.5)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*erases")
        made(re_prob=0.5, use_prefetcher=False)
        made(re_prob=0.0)


def test_fastais_datablock_with_item_transforms_in_its_blocks(tmp_path: Path) -> None:
    from fastai.data.block import CategoryBlock, DataBlock, TransformBlock
    from fastai.data.core import DataLoaders
    from fastai.data.transforms import RandomSplitter, ToTensor, get_image_files, parent_label
    from fastai.vision.augment import RandomResizedCrop
    from fastai.vision.core import PILImage
    from PIL import Image

    for name in "ab":
        (tmp_path / name).mkdir()
        for number in range(8):
            pixels = np.arange(40 * 60 * 3).reshape(40, 60, 3) * (number + 1) % 251
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / name / f"{number}.png")

    def passes(workers: int) -> list[list[Any]]:
        image = TransformBlock(type_tfms=[PILImage.create, RandomResizedCrop(24), ToTensor()])
        block = DataBlock(
            (image, CategoryBlock),
            get_items=lambda folder: sorted(get_image_files(folder)),
            get_y=parent_label,
            splitter=RandomSplitter(seed=1),
        )
        sets = block.datasets(tmp_path)
        dataset = AugmentedDataset(sets.train, seed=SEED, bridge=True)
        loaders = DataLoaders(loader(dataset, batch_size=4, shuffle=True, num_workers=workers), [])
        return [
            [(torch.as_tensor(images), labels) for images, labels in loaders.train] for _ in range(EPOCHS)
        ]

    one, other = passes(0), passes(2)
    for mine, theirs in zip(one, other, strict=True):
        for (images, labels), (images2, labels2) in zip(mine, theirs, strict=True):
            assert torch.equal(images, images2)
            assert torch.equal(torch.as_tensor(labels), torch.as_tensor(labels2))
    assert not torch.equal(one[0][0][0], one[1][0][0])
