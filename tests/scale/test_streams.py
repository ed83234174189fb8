"""Real streaming libraries: the same multiset of records for any number of workers, and another one in each epoch."""

from __future__ import annotations

import io
import random
import warnings
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import AUGMENT, IMAGES, LENGTH, SEED, digest, expected, name_of
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

pytestmark = [
    pytest.mark.scale,
    pytest.mark.filterwarnings("ignore"),  # these libraries warn of themselves
]


@pytest.fixture(scope="session")
def tars(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return webdataset shards."""
    import webdataset as wds

    folder = tmp_path_factory.mktemp("tars")
    for shard in range(4):
        with wds.TarWriter(str(folder / f"{shard}.tar")) as tar:
            for n in range(shard, LENGTH, 4):
                file = io.BytesIO()
                np.save(file, IMAGES[n])
                tar.write({"__key__": name_of(n), "npy": file.getvalue(), "cls": str(n).encode()})
    return [str(path) for path in sorted(folder.glob("*.tar"))]


def webdataset(tars: list[str]) -> Any:
    import webdataset as wds

    return wds.WebDataset(tars, shardshuffle=False, nodesplitter=None).decode()


def counted(records: Any, image: str, number: str) -> Counter[tuple[int, str]]:
    # Hugging Face's arrays are int64, and stay it.
    return Counter(
        (int(record[number]), digest(np.asarray(record[image]).astype(np.uint8))) for record in records
    )


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_webdataset(tars: list[str], workers: int) -> None:
    stream = AugmentedIterable(webdataset(tars), AUGMENT, seed=SEED, targets={"npy": "image"})
    loading = loader(stream, batch_size=None, num_workers=workers)
    for epoch in range(2):
        assert counted(loading, "npy", "cls") == expected(epoch)


def interrupted(make: Any, epoch: int) -> tuple[list[Any], Any]:
    """Return what is left of an epoch, and a loader that is to resume there."""
    loading, resumed = make(), make()
    for _ in range(epoch):
        list(loading)
    batches = iter(loading)
    for _ in range(7):
        next(batches)
    resumed.load_state_dict(loading.state_dict())
    return list(batches), resumed


@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize("workers", [0, 2])
def test_webdataset_that_shuffles_resumes_if_its_order_repeats(
    tars: list[str], workers: int, epoch: int
) -> None:
    import webdataset as wds
    from webdataset.filters import detshuffle

    def shuffled(shuffle: Any) -> Any:
        source = shuffle(wds.WebDataset(tars, shardshuffle=False, nodesplitter=None))
        return loader(
            AugmentedIterable(source, itemgetter("cls"), seed=SEED), batch_size=2, num_workers=workers
        )

    rest, resumed = interrupted(lambda: shuffled(lambda source: source.compose(detshuffle(9, seed=7))), epoch)
    assert list(resumed) == rest
    _, resumed = interrupted(lambda: shuffled(lambda source: source.shuffle(50)), epoch)
    with pytest.raises(ValueError, match="are not those that were yielded before the state was stored"):
        list(resumed)


def noisy(record: Any) -> Any:
    return record | {"noise": np.random.rand()}


def test_webdatasets_shuffle_with_a_generator_is_not_told_and_a_map_that_draws_is(tars: list[str]) -> None:
    for change, told in ((dict, 0), (noisy, 1)):
        source = webdataset(tars).shuffle(5, rng=random.Random(3)).map(change)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert len(list(AugmentedIterable(source, itemgetter("cls"), seed=SEED))) == LENGTH
        assert len([one for one in caught if "the source" in str(one.message)]) == told


@pytest.mark.parametrize("workers", [0, 2])
def test_webdataset_by_its_own_map(tars: list[str], workers: int) -> None:
    keyed = ss.keyed_map(AUGMENT, seed=SEED, epoch=1, targets={"npy": "image"})
    loading = DataLoader(webdataset(tars).map(keyed), batch_size=None, num_workers=workers)
    assert counted(loading, "npy", "cls") == expected(1)


def hugging_face() -> Any:
    from datasets import Dataset

    table = Dataset.from_dict(
        {"id": [name_of(n) for n in range(LENGTH)], "n": range(LENGTH), "pixels": IMAGES.tolist()}
    )
    return table.to_iterable_dataset(num_shards=4)


def with_image(record: dict[str, Any]) -> dict[str, Any]:
    return {"id": record["id"], "n": record["n"], "image": np.asarray(record["pixels"], np.uint8)}


@pytest.mark.parametrize("workers", [0, 2, 4])
@pytest.mark.parametrize("shuffled", [False, True])
def test_hugging_face_streaming(workers: int, shuffled: bool) -> None:
    source = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")
    if shuffled:
        source = source.shuffle(seed=3, buffer_size=10)
    loading = loader(
        AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), batch_size=None, num_workers=workers
    )
    orders = []
    for epoch in range(2):
        records = list(loading)
        assert counted(records, "image", "n") == expected(epoch)
        orders.append([int(record["n"]) for record in records])
    assert (orders[0] != orders[1]) == shuffled  # the source was told its epoch


@pytest.mark.parametrize("workers", [0, 2])
def test_hugging_face_by_its_own_map(workers: int) -> None:
    source = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")
    keyed = source.map(ss.keyed_map(AUGMENT, seed=SEED, epoch=2, id="id"))
    assert counted(DataLoader(keyed, batch_size=None, num_workers=workers), "image", "n") == expected(2)


def test_hugging_face_goes_on_where_it_stood() -> None:
    def stream() -> AugmentedIterable:
        source = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")
        return AugmentedIterable(source, AUGMENT, seed=SEED, id="id")

    first = stream()
    first.set_epoch(3)
    records = iter(first)
    begun = [next(records) for _ in range(7)]
    state = first.state_dict()
    second = stream()
    second.load_state_dict(state)
    assert counted(begun, "image", "n") + counted(second, "image", "n") == expected(3)


def test_a_hugging_face_dataset_that_was_resumed_is_read_as_a_whole() -> None:
    source = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")

    def made() -> Any:
        return loader(AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), batch_size=None)

    loading = made()
    batches = iter(loading)
    begun = [next(batches) for _ in range(7)]
    resumed = made()
    resumed.load_state_dict(loading.state_dict())
    del batches
    assert counted(begun, "image", "n") + counted(resumed, "image", "n") == expected(0)
    again = made()
    with pytest.warns(UserWarning, match="still holds a state that was loaded into it"):
        assert counted(again, "image", "n") == expected(0)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_hugging_face_buffer_that_its_state_leaves_out_is_read_again(workers: int, shuffled: bool) -> None:
    def made() -> Any:
        source = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")
        source = source.shuffle(seed=3, buffer_size=10) if shuffled else source
        stream = AugmentedIterable(source, AUGMENT, seed=SEED, id="id")
        return loader(stream, batch_size=None, num_workers=workers)

    for epoch in range(2):
        rest, resumed = interrupted(made, epoch)
        assert seen(resumed) == seen(rest)
        assert counted(made(), "image", "n") == expected(0)


def seen(records: Any) -> list[tuple[int, str]]:
    return [(int(record["n"]), digest(np.asarray(record["image"]).astype(np.uint8))) for record in records]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_state_without_the_buffer_is_refused(workers: int) -> None:
    """As older releases stored it."""
    plain = hugging_face().map(with_image, remove_columns=["pixels"]).with_format("numpy")
    first = loader(
        AugmentedIterable(plain, AUGMENT, seed=SEED, id="id"), batch_size=None, num_workers=workers
    )
    batches = iter(first)
    for _ in range(7):
        next(batches)
    shuffled = AugmentedIterable(plain.shuffle(seed=3, buffer_size=10), AUGMENT, seed=SEED, id="id")
    with pytest.raises(ValueError, match="holds back, and they would be lost"):
        loader(shuffled, num_workers=workers).load_state_dict(first.state_dict())


@pytest.mark.parametrize("workers", [0, 2])
def test_mosaicml_streaming(tmp_path: Path, workers: int) -> None:
    from streaming import MDSWriter, StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    columns = {"id": "str", "n": "int", "image": "ndarray"}
    with MDSWriter(out=str(tmp_path / "mds"), columns=columns, size_limit=2**14) as writer:
        for n in range(LENGTH):
            writer.write({"id": name_of(n), "n": n, "image": IMAGES[n]})
    clean_stale_shared_memory()
    source = StreamingDataset(local=str(tmp_path / "mds"), batch_size=4, shuffle=True)
    loading = loader(
        AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), batch_size=4, num_workers=workers
    )
    for epoch in range(2):
        records = [
            {"n": n, "image": image}
            for batch in loading
            for n, image in zip(batch["n"], batch["image"], strict=True)
        ]
        assert counted(records, "image", "n") == expected(epoch)


def item(n: int) -> dict[str, Any]:
    return {"id": name_of(n), "n": n, "image": IMAGES[n]}


@pytest.mark.parametrize("workers", [0, 2])
def test_litdata(tmp_path: Path, workers: int) -> None:
    from litdata import StreamingDataLoader, StreamingDataset, optimize

    optimize(
        fn=item, inputs=list(range(LENGTH)), output_dir=str(tmp_path / "lit"), chunk_size=6, num_workers=1
    )
    for epoch in range(2):
        keyed = ss.keyed_map(AUGMENT, seed=SEED, epoch=epoch, id="id")
        source = StreamingDataset(str(tmp_path / "lit"), shuffle=True, transform=[keyed])
        records = [
            {"n": n, "image": image}
            for batch in StreamingDataLoader(source, batch_size=4, num_workers=workers)
            for n, image in zip(batch["n"], batch["image"], strict=True)
        ]
        assert counted(records, "image", "n") == expected(epoch)


@pytest.mark.parametrize("workers", [0, 2])
def test_litdata_as_a_source(tmp_path: Path, workers: int) -> None:
    from litdata import StreamingDataset, optimize

    optimize(
        fn=item, inputs=list(range(LENGTH)), output_dir=str(tmp_path / "lit"), chunk_size=6, num_workers=1
    )

    def made() -> Any:
        source = StreamingDataset(str(tmp_path / "lit"), shuffle=True)
        stream = AugmentedIterable(source, AUGMENT, seed=SEED, id="id")
        return loader(stream, batch_size=2, num_workers=workers)

    loading = made()
    for epoch in range(2):
        assert counted(one_by_one(loading), "image", "n") == expected(epoch)
    batches = iter(loading)
    begun = [next(batches) for _ in range(3)]
    resumed = made()
    resumed.load_state_dict(loading.state_dict())
    assert counted(one_by_one([*begun, *resumed]), "image", "n") == expected(2)


def one_by_one(batches: Any) -> Any:
    return [
        {"n": n, "image": image}
        for batch in batches
        for n, image in zip(batch["n"], batch["image"], strict=True)
    ]


@pytest.mark.parametrize("method", ["thread", "process"])
@pytest.mark.parametrize("workers", [1, 3])
def test_torchdata_nodes(method: str, workers: int) -> None:
    from torchdata.nodes import IterableWrapper, Loader, ParallelMapper

    for epoch in range(2):
        keyed = ss.keyed_map(AUGMENT, seed=SEED, epoch=epoch, id="id")
        node = ParallelMapper(
            IterableWrapper([item(n) for n in range(LENGTH)]), keyed, num_workers=workers, method=method
        )
        assert counted(Loader(node), "image", "n") == expected(epoch)


@pytest.mark.parametrize("workers", [0, 2])
def test_grain_by_hand(workers: int) -> None:
    import grain
    from absl import flags

    for epoch in range(2):
        keyed = ss.keyed_map(AUGMENT, seed=SEED, epoch=epoch, id="id")
        data = (
            grain.MapDataset.source([item(n) for n in range(LENGTH)])
            .shuffle(seed=1)
            .map(keyed)
            .to_iter_dataset()
        )
        if workers:
            flags.FLAGS.mark_as_parsed()
            data = data.mp_prefetch(grain.multiprocessing.MultiprocessingOptions(num_workers=workers))
        assert counted(data, "image", "n") == expected(epoch)


def test_in_grain_the_records_id_makes_the_key_and_its_place_does_not() -> None:
    import grain

    records = [item(n) for n in range(LENGTH)]
    keyed = ss.keyed_map(AUGMENT, seed=SEED, id="id", epoch="epoch")

    def served(order: int, augmented: Any) -> dict[tuple[int, int], str]:
        passes = grain.MapDataset.source(records).shuffle(seed=order).repeat(2)
        samples = passes.map_with_index(
            lambda place, record: {**record, "epoch": place // len(records), "place": place}
        ).map(augmented)
        return {(one["n"], one["epoch"]): digest(one["image"]) for one in samples}

    def by_place(record: dict[str, Any]) -> dict[str, Any]:
        key = ss.SampleKey(SEED, record["epoch"], record["place"] % len(records))
        return {**record, "image": AUGMENT(record["image"], key=key)}

    assert served(1, keyed) == served(2, keyed)
    assert len(served(1, keyed)) == 2 * LENGTH
    assert served(1, by_place) != served(2, by_place)


@pytest.mark.parametrize("workers", [0, 2])
def test_hugging_face_datasets_with_positions(workers: int) -> None:
    import datasets

    from seedsafe_torch import AugmentedDataset, loader

    photos = datasets.Dataset.from_dict({"image": list(IMAGES), "n": list(range(LENGTH))})

    def noisy(rows: dict[str, Any]) -> dict[str, Any]:
        images = [np.asarray(image, np.uint8) for image in rows["image"]]
        return {
            **rows,
            "image": [image + np.random.randint(9, size=image.shape, dtype=np.uint8) for image in images],
        }

    for dataset in (
        AugmentedDataset(photos.with_format("numpy"), AUGMENT, seed=SEED),
        AugmentedDataset(photos.with_transform(noisy), seed=SEED, bridge=True),
    ):
        loading = loader(dataset, batch_size=5, shuffle=True, num_workers=workers)
        for epoch in range(2):
            for batch in loading:
                for n, image in zip(batch["n"], batch["image"], strict=True):
                    assert (np.asarray(image) == dataset.at(int(n), epoch=epoch)["image"]).all()
        assert not np.array_equal(dataset.at(3, epoch=0)["image"], dataset.at(3, epoch=1)["image"])


class Epochs:
    """A source for Grain's DataLoader, which counts the epochs; see docs/how-to/streams.md."""

    def __init__(self, dataset: Any, epochs: int) -> None:
        self.dataset, self.epochs = dataset, epochs

    def __len__(self) -> int:
        return self.epochs * len(self.dataset)

    def __getitem__(self, place: int) -> Any:
        epoch, place = divmod(int(place), len(self.dataset))
        order = ss.epoch_order(SEED, epoch, len(self.dataset))
        return self.dataset.at(order[place], epoch=epoch)


@pytest.mark.parametrize("workers", [0, 2])
def test_grains_dataloader(workers: int) -> None:
    import grain
    from absl import flags

    from seedsafe_torch import AugmentedDataset

    flags.FLAGS.mark_as_parsed()
    dataset = AugmentedDataset([(image, n) for n, image in enumerate(IMAGES)], AUGMENT, seed=SEED)
    source = Epochs(dataset, 2)
    loading = grain.DataLoader(
        data_source=source,
        sampler=grain.samplers.SequentialSampler(len(source), grain.sharding.NoSharding()),
        operations=[grain.transforms.Batch(5)],
        worker_count=workers,
    )
    records = [
        {"image": image, "n": n}
        for images, numbers in loading
        for image, n in zip(images, numbers, strict=True)
    ]
    alone = [(dataset.at(n, epoch=epoch)[0], n) for epoch in range(2) for n in range(LENGTH)]
    assert counted(records, "image", "n") == counted(
        [{"image": image, "n": n} for image, n in alone], "image", "n"
    )
