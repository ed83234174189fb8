"""The contenders of benchmarks.in_place.

They run RandomCrop + HorizontalFlip + Normalize + channels first, in batches. Each is a function of the case and the photographs, and
returns a function from a number of batches to an iterator over them. It imports its library itself, so that a library that is not
installed is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

import seedsafe as ss
from benchmarks.photographs import IMAGES, Photographs
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

__all__ = ["CONTENDERS", "Case"]

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
Pass = Callable[[int], Iterator[Any]]


class Case(NamedTuple):
    """The images to load, and the options of the loader."""

    size: int
    dtype: str
    batch: int
    workers: int
    jpeg: bool = False


class Transformed:
    """The dataset of a peer, which transforms each image."""

    def __init__(self, base: Photographs, transform: Callable[[np.ndarray], torch.Tensor]) -> None:
        self.base, self.transform = base, transform

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.transform(self.base[index])


class Ready:
    """Ready batches, copied from one array: the limit."""

    def __init__(self, case: Case, base: Photographs) -> None:
        self.batch = torch.zeros(case.batch, 3, case.size, case.size, dtype=getattr(torch, case.dtype))
        self.base = base

    def __len__(self) -> int:
        return len(self.base) // len(self.batch)

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.batch.clone()


def _chain(case: Case) -> ss.Compose:
    tail = [ss.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    return ss.Compose([ss.RandomCrop(case.size), ss.HorizontalFlip(), *tail, ss.ToCHW()])


def _passes(case: Case, base: Photographs, loading: Any) -> Pass:
    """Return the passes of a DataLoader, whose dataset gets as many samples as a pass needs."""

    def batches(number: int) -> Iterator[Any]:
        base.length = number * case.batch
        return iter(loading)

    return batches


def _options(case: Case) -> dict[str, Any]:
    options = {"batch_size": case.batch, "shuffle": True, "num_workers": case.workers}
    return options | {"persistent_workers": case.workers > 0}


def in_place(case: Case, base: Photographs) -> Pass:
    """Return seedsafe's loader, with batches in place."""
    return _passes(case, base, loader(AugmentedDataset(base, _chain(case), seed=42), **_options(case)))


def plain(case: Case, base: Photographs) -> Pass:
    """Return seedsafe's loader without batches in place."""
    dataset = AugmentedDataset(base, _chain(case), seed=42)
    return _passes(case, base, loader(dataset, in_place=False, **_options(case)))


class Endless(IterableDataset[dict[str, Any]]):
    """A source of records without positions, each with an id; workers divide it."""

    def __init__(self, base: Photographs) -> None:
        self.base = base

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return ({"__key__": str(n), "image": self.base[n]} for n in count(first, step))


def stream(case: Case, base: Photographs) -> Pass:
    """Return seedsafe's loader over records without positions."""
    options = {"batch_size": case.batch, "num_workers": case.workers}
    batches = iter(loader(AugmentedIterable(Endless(base), _chain(case), seed=42), **options))
    return lambda number: (batch["image"] for batch in islice(batches, number))


def limit(case: Case, base: Photographs) -> Pass:
    """Return a DataLoader of ready batches."""
    workers = {"num_workers": case.workers, "persistent_workers": case.workers > 0}
    return _passes(case, base, DataLoader(Ready(case, base), batch_size=None, **workers))


def torchvision(case: Case, base: Photographs) -> Pass:
    """Return torchvision v2 in a DataLoader."""
    v2 = import_module("benchmarks.peers.torchvision").v2
    tail = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    chain = v2.Compose([v2.RandomCrop(case.size), v2.RandomHorizontalFlip(), *tail])
    dataset = Transformed(base, lambda image: chain(torch.from_numpy(image).permute(2, 0, 1)))
    return _passes(case, base, DataLoader(dataset, **_options(case)))


def albumentations(case: Case, base: Photographs) -> Pass:
    """Return albumentations or AlbumentationsX in a DataLoader, whichever is installed."""
    library, tensors = import_module("albumentations"), import_module("albumentations.pytorch")
    tail = [library.Normalize(MEAN, STD)] if case.dtype == "float32" else []
    crop = library.RandomCrop(case.size, case.size)
    chain = library.Compose([crop, library.HorizontalFlip(), *tail, tensors.ToTensorV2()])
    dataset = Transformed(base, lambda image: chain(image=image)["image"])
    return _passes(case, base, DataLoader(dataset, **_options(case)))


def keras_sequence(case: Case, base: Photographs) -> Pass:
    """Return seedsafe's sequence with batches in place, read in the training process."""
    import_module("keras")
    kind = import_module("seedsafe_keras").AugmentedSequence
    if case.workers:
        raise ImportError("its processes are measured by in_place_keras")

    def batches(number: int) -> Iterator[Any]:
        base.length = number * case.batch
        sequence = kind(base, _chain(case), seed=42, epoch=0, batch_size=case.batch, shuffle=True)
        return (sequence[one] for one in range(number))

    return batches


def tf_data(case: Case, base: Photographs) -> Pass:
    """Return tf.data with tf.image, with a thread for each worker of the others, and at least one."""
    tf = import_module("tensorflow")

    def one(image: Any) -> Any:
        image = tf.image.random_crop(_decode(tf, image, base), (case.size, case.size, 3))
        return _normalize(tf, tf.image.random_flip_left_right(image), case, (2, 0, 1))

    images = _source(tf, base).shuffle(IMAGES)
    return _in_tf(tf, images.map(one, num_parallel_calls=max(1, case.workers)).batch(case.batch), case)


def keras_layers(case: Case, base: Photographs) -> Pass:
    """Return Keras's preprocessing layers on batches in tf.data, which crop the same window of a whole batch."""
    keras, tf = import_module("keras"), import_module("tensorflow")
    if keras.backend.backend() != "tensorflow":
        raise ImportError("Keras runs on another backend")
    crop, flip = keras.layers.RandomCrop(case.size, case.size), keras.layers.RandomFlip("horizontal")

    def whole(images: Any) -> Any:
        images = flip(crop(images, training=True), training=True)
        images = images if case.dtype == "float32" else tf.cast(images, tf.uint8)
        return _normalize(tf, images, case, (0, 3, 1, 2))

    calls = max(1, case.workers)
    images = _source(tf, base).shuffle(IMAGES)
    if base.jpeg:
        images = images.map(lambda image: _decode(tf, image, base), num_parallel_calls=calls)
    return _in_tf(tf, images.batch(case.batch).map(whole, num_parallel_calls=calls), case)


def _source(tf: Any, base: Photographs) -> Any:
    images = [one.tobytes() for one in base.images] if base.jpeg else np.stack(base.images)
    return tf.data.Dataset.from_tensor_slices(images).repeat()


def _decode(tf: Any, image: Any, base: Photographs) -> Any:
    return tf.ensure_shape(tf.io.decode_jpeg(image), (base.size, base.size, 3)) if base.jpeg else image


def _normalize(tf: Any, images: Any, case: Case, order: tuple[int, ...]) -> Any:
    if case.dtype == "float32":
        images = (tf.cast(images, tf.float32) / 255.0 - MEAN) / STD
    return tf.transpose(images, order)


def _in_tf(tf: Any, batches: Any, case: Case) -> Pass:
    options = tf.data.Options()
    options.threading.private_threadpool_size = max(1, case.workers)
    options.threading.max_intra_op_parallelism = 1
    batches = batches.prefetch(2) if case.workers else batches
    iterator = iter(batches.with_options(options))
    return lambda number: islice(iterator, number)


class _Grains:
    """A source for Grain, and transforms in NumPy, because Grain has none."""

    def __init__(self, case: Case, base: Photographs) -> None:
        self.case, self.base = case, base

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: int) -> np.ndarray:
        return self.base[index]

    def transform(self, image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a random window, perhaps mirrored, normalized, with its channels first."""
        size = self.case.size
        top, left = (int(rng.integers(extent - size + 1)) for extent in image.shape[:2])
        image = image[top : top + size, left : left + size]
        image = image[:, ::-1] if rng.random() < 0.5 else image
        if self.case.dtype == "float32":
            image = (image.astype(np.float32) / np.float32(255) - np.float32(MEAN)) / np.float32(STD)
        return np.ascontiguousarray(image.transpose(2, 0, 1))


def grain(case: Case, base: Photographs) -> Pass:
    """Return Grain with a chain in NumPy."""
    library = import_module("grain")
    source = _Grains(case, base)
    data = library.MapDataset.source(source).seed(42).shuffle().random_map(source.transform)
    data = data.repeat().to_iter_dataset(library.ReadOptions(num_threads=0))
    data = data.batch(case.batch)
    if case.workers:
        data = data.mp_prefetch(library.multiprocessing.MultiprocessingOptions(num_workers=case.workers))
    iterator = iter(data)
    return lambda number: islice(iterator, number)


# TensorFlow comes last, because its threads do not like forks.
CONTENDERS: dict[str, Callable[[Case, Photographs], Pass]] = {
    "in place": in_place,
    "plain": plain,
    "stream": stream,
    "limit": limit,
    "torchvision v2": torchvision,
    "albumentations": albumentations,
    "Grain": grain,
    "Keras sequence": keras_sequence,
    "tf.data": tf_data,
    "Keras layers": keras_layers,
}
