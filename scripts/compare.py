"""Check whether a library makes the same of a sample however it is read: python scripts/compare.py LIBRARY.

The figures of docs/explanation/comparison.md come from it. A sample's draws are read off its pixels: images are all different, and
are cropped as the library offers it. One seed is given, in the way that the library's documentation shows; libraries need not be
installed but for their own row, and torchdata for those that torch loads.
"""

from __future__ import annotations

import faulthandler
import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

COUNT, SIDE, CROP, EPOCHS, SERVED = 24, 64, 48, 2, 8
IMAGES = np.random.default_rng(1).integers(0, 256, (COUNT, SIDE, SIDE, 3), np.uint8)
PLACES = SIDE - CROP + 1
LIMIT = 600
"""Seconds after which a library that hangs ends the command with the stacks of its threads."""


class Run(NamedTuple):
    """How samples are read."""

    workers: int = 0
    batch: int = 4
    ranks: int = 1


class Batch(NamedTuple):
    """What a library delivers, and how to ask it for a state from which the reading goes on after this batch."""

    epoch: int
    indices: Any
    images: Any
    state: Callable[[], Any]


Batches = Iterator[Batch]
Library = Callable[[Run, int, Any], Batches]
"""Reads the samples of a rank as a new process does: from the start, or from a state."""

Crops = list[dict[int, str]]
"""For each epoch: the hash of what became of each sample."""


class Images:
    """The samples as a map-style dataset: (what becomes of an image, its position)."""

    def __init__(self, transform: Callable[..., Any]) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: Any) -> tuple[Any, int]:
        if isinstance(index, tuple):  # the epoch came with it
            return np.asarray(self.transform(IMAGES[index[1]], (0, *index))), index[1]
        return np.asarray(self.transform(IMAGES[index])), index


def crop_at(rng: Any, image: Any) -> Any:
    """Return a crop at a corner that a generator of NumPy draws."""
    top, left = rng.integers(0, PLACES, 2)
    return image[top : top + CROP, left : left + CROP].copy()


def in_torch(
    transform: Callable[..., Any], run: Run, rank: int, state: Any, *, sent: bool = False, after: Any = None
) -> Batches:
    """Read with torchdata's StatefulDataLoader, after torch.manual_seed(0); with the epoch sent beside each index, or a step after each batch."""
    import torch
    from torch.utils.data import DistributedSampler
    from torchdata.stateful_dataloader import StatefulDataLoader

    class Sent(DistributedSampler[Any]):
        def __iter__(self) -> Iterator[Any]:
            return ((self.epoch, index) for index in super().__iter__())

    torch.manual_seed(0)
    np.random.seed(0)
    dataset: Any = Images(transform)
    sampler = (Sent if sent else DistributedSampler)(dataset, run.ranks, rank, seed=0)
    generator = torch.Generator().manual_seed(0)
    loading: Any = StatefulDataLoader(
        dataset, run.batch, sampler=sampler, num_workers=run.workers, generator=generator
    )
    first = 0
    if state:
        first, inner = state
        loading.load_state_dict(inner)
    for epoch in range(first, EPOCHS):
        sampler.set_epoch(epoch)
        for images, indices in loading:
            made = after(images) if after else images
            yield Batch(epoch, indices, made, lambda epoch=epoch: (epoch, loading.state_dict()))


def by_hand(run: Run, rank: int, state: Any) -> Batches:
    """Crop at corners of NumPy's global generator, which torch seeds in each worker."""

    def crop(image: Any) -> Any:
        top, left = np.random.randint(0, PLACES, 2)
        return image[top : top + CROP, left : left + CROP]

    return in_torch(crop, run, rank, state)


def stored(run: Run, rank: int, state: Any) -> Batches:
    """Crop at corners of a generator that the dataset keeps."""
    return in_torch(partial(crop_at, np.random.default_rng(0)), run, rank, state)


def keyed(run: Run, rank: int, state: Any) -> Batches:
    """Crop at corners of a generator made for (seed, epoch, index); the epoch comes with the index."""
    return in_torch(
        lambda image, key: crop_at(np.random.default_rng(key), image), run, rank, state, sent=True
    )


def albumentations(run: Run, rank: int, state: Any) -> Batches:
    """RandomCrop of whichever albumentations is installed, with Compose(seed=)."""
    import albumentations as A  # noqa: N812

    crop = A.Compose([A.RandomCrop(CROP, CROP)], seed=0)
    return in_torch(lambda image: crop(image=image)["image"], run, rank, state)


def invocation_seed(run: Run, rank: int, state: Any) -> Batches:
    """RandomCrop of AlbumentationsX with a seed for each call, made of (seed, epoch, index); the epoch comes with the index."""
    import albumentations as A  # noqa: N812

    crop = A.Compose([A.RandomCrop(CROP, CROP)])

    def called(image: Any, key: tuple[int, ...]) -> Any:
        return crop(image=image, invocation_seed=int(np.random.SeedSequence(key).generate_state(1)[0]))[
            "image"
        ]

    return in_torch(called, run, rank, state, sent=True)


def torchvision(run: Run, rank: int, state: Any) -> Batches:
    """RandomCrop of transforms v2."""
    import torch

    if torch.version.cuda is None:  # what its build for CUDA leaves undeclared without
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    from torchvision.transforms import v2

    crop = v2.RandomCrop(CROP)
    yield from in_torch(
        lambda image: crop(torch.from_numpy(image).permute(2, 0, 1)).numpy(), run, rank, state
    )


def kornia(run: Run, rank: int, state: Any) -> Batches:
    """RandomCrop of kornia, on batches in the process that trains."""
    from kornia.augmentation import RandomCrop

    crop = RandomCrop((CROP, CROP))
    return in_torch(
        lambda image: image, run, rank, state, after=lambda batch: crop(batch.permute(0, 3, 1, 2).float())
    )


def grain(run: Run, rank: int, state: Any) -> Batches:
    """MapDataset.random_map in an ElasticIterator."""
    import grain
    from absl import flags

    flags.FLAGS.mark_as_parsed()

    def crop(index: int, rng: Any) -> Any:
        return crop_at(rng, IMAGES[index]), index

    chain = grain.MapDataset.range(COUNT).seed(0).shuffle().random_map(crop).repeat(EPOCHS)
    reading = grain.experimental.ElasticIterator(
        chain,
        run.batch,
        grain.sharding.ShardOptions(rank, run.ranks),
        read_options=grain.ReadOptions(num_threads=1),
        multiprocessing_options=grain.MultiprocessingOptions(run.workers) if run.workers else None,
    )
    batches = 0
    if state:
        batches, inner = state
        reading.set_state(inner)
    for images, indices in reading:
        epoch = batches * run.batch // COUNT
        batches += 1
        yield Batch(epoch, indices, images, lambda read=batches: (read, reading.get_state()))


@cache
def chunks() -> str:
    """Return a folder with the images as litdata reads them."""
    from litdata import optimize

    folder = tempfile.mkdtemp()
    optimize(
        fn=lambda index: {"index": index, "image": IMAGES[index]}, inputs=list(range(COUNT)), output_dir=folder,
        chunk_size=4, num_workers=1, start_method="fork", verbose=False,
    )  # fmt: skip
    return folder


def litdata(run: Run, rank: int, state: Any) -> Batches:
    """StreamingDataset in StreamingDataLoader; its transform crops at corners of NumPy's global generator, which torch seeds in each worker."""
    import torch
    from litdata import StreamingDataLoader, StreamingDataset

    def crop(item: Any) -> Any:
        top, left = np.random.randint(0, PLACES, 2)
        return {**item, "image": item["image"][top : top + CROP, left : left + CROP].copy()}

    torch.manual_seed(0)
    np.random.seed(0)
    dataset = StreamingDataset(chunks(), shuffle=True, seed=0, transform=crop)
    dataset.distributed_env = type(dataset.distributed_env)(run.ranks, rank, 1)
    loading = StreamingDataLoader(dataset, batch_size=run.batch, num_workers=run.workers)
    if state:
        loading.load_state_dict(state[1])
    for epoch in range(state[0] if state else 0, EPOCHS):
        for batch in loading:
            yield Batch(epoch, batch["index"], batch["image"], lambda at=epoch: (at, loading.state_dict()))


def keras(run: Run, rank: int, state: Any) -> Batches:
    """The layer RandomCrop in a map of tf.data with as many parallel calls as there are workers."""
    import tensorflow as tf
    from keras import layers, utils

    utils.set_random_seed(0)
    crop = layers.RandomCrop(CROP, CROP, seed=0)
    chain = tf.data.Dataset.range(COUNT).shard(run.ranks, rank)
    chain = chain.map(
        lambda index: (crop(tf.gather(tf.constant(IMAGES), index), training=True), index),
        num_parallel_calls=run.workers or None,
        deterministic=True,
    )
    reading = iter(chain.batch(run.batch).repeat(EPOCHS))
    saved = tf.train.Checkpoint(reading=reading, crop=crop)
    folder = tempfile.mkdtemp()
    batches = 0
    if state:
        batches, path = state
        saved.read(path)
    for images, indices in reading:
        epoch = batches * run.batch * run.ranks // COUNT
        batches += 1
        yield Batch(epoch, indices, images, lambda read=batches: (read, saved.write(f"{folder}/state")))


def seedsafe(run: Run, rank: int, state: Any) -> Batches:
    """RandomCrop of this library, in its loader."""
    import seedsafe as ss
    from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, loader

    dataset = AugmentedDataset(Images(lambda image: image), ss.RandomCrop(CROP), seed=0)
    sampler = DistributedKeyedSampler(dataset, seed=0, num_replicas=run.ranks, rank=rank)
    loading = loader(dataset, batch_size=run.batch, sampler=sampler, num_workers=run.workers)
    if state:
        loading.load_state_dict(state)
    for epoch in range(state["epoch"] if state else 0, EPOCHS):
        for images, indices in loading:
            yield Batch(epoch, indices, images, loading.state_dict)


LIBRARIES: dict[str, Library] = {
    one.__name__: one
    for one in (
        seedsafe,
        albumentations,
        invocation_seed,
        torchvision,
        kornia,
        grain,
        litdata,
        keras,
        by_hand,
        stored,
        keyed,
    )
}


def crops(batches: Batches) -> Crops:
    """Return what became of the samples."""
    made: Crops = [{} for _ in range(EPOCHS)]
    for batch in batches:
        for index, image in zip(batch.indices, batch.images, strict=True):
            array = np.ascontiguousarray(image)
            made[batch.epoch][int(index)] = hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()
    return made


def read(library: Library, run: Run, state: Any = None) -> Crops:
    """Return what became of the samples of all ranks."""
    made: Crops = [{} for _ in range(EPOCHS)]
    for rank in range(run.ranks):
        for all_ranks, one in zip(made, crops(library(run, rank, state)), strict=True):
            all_ranks |= one
    return made


def stopped(library: Library, run: Run) -> tuple[Any, set[int]]:
    """Return the state when some samples of the last epoch were served, and these."""
    served: list[int] = []
    for batch in library(run, 0, None):
        if batch.epoch == EPOCHS - 1:
            served += map(int, batch.indices)
            if len(served) >= SERVED:
                return batch.state(), set(served)
    raise AssertionError("an epoch is too short")


def main() -> None:
    """Print for each other way to read how many samples become the same as before."""
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in LIBRARIES:
        sys.exit(f"usage: compare.py {'|'.join(LIBRARIES)}")
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    library = LIBRARIES[name]
    first, two = read(library, Run()), read(library, Run(workers=2))
    for question, made, before in (
        ("2 workers", two, first),
        ("4 workers", read(library, Run(workers=4)), first),
        ("batches of 6", read(library, Run(workers=2, batch=6)), two),
        ("2 ranks", read(library, Run(ranks=2)), first),
        ("both epochs", two[:1], two[1:]),
    ):
        same = [
            made[epoch][index] == image for epoch, one in enumerate(before) for index, image in one.items()
        ]
        print(f"{question}: {sum(same)} of {len(same)}")
    for question, run in (
        ("resumed", Run(workers=2)),
        ("resumed, 4 workers", Run(workers=4)),
        ("resumed, 2 ranks", Run(workers=2, ranks=2)),
    ):
        try:
            state, served = stopped(library, Run(workers=2))
            made = read(library, run, state)
        except Exception as error:  # noqa: BLE001 - a library's own way to say no
            print(f"{question}: refused ({type(error).__name__})")
        else:
            rest = two[-1].keys() - served
            same = [made[-1].get(index) == two[-1][index] for index in rest]
            print(f"{question}: {sum(same)} of {len(same)}")


if __name__ == "__main__":
    main()
