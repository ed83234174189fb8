"""Trainings that are killed and go on elsewhere: ranks read a source in step, SIGKILL ends them, others resume from the states of the last whole step.

A program: the name of a source, the first schedule and the one after the last. It prints a line of JSON for each, and forks its
ranks, so that libraries are imported once.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import random
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from conftest import AUGMENT, IMAGES, LENGTH, SEED, digest, name_of

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, Shards, loader

SIZES = (5, 20, 9, 1, 31, 17, 13)
"""How many records each shard has."""
RECORDS, BATCH = sum(SIZES), 2


def record(n: int) -> dict[str, Any]:
    return {"id": name_of(n), "n": n, "image": IMAGES[n % LENGTH] ^ np.uint8(n)}


def expected(epoch: int) -> Counter[tuple[int, str]]:
    """Return the (number, digest) of each record, by the definition."""
    keys = (ss.SampleKey(SEED, epoch, ss.record_index(name_of(n))) for n in range(RECORDS))
    return Counter((n, digest(AUGMENT(record(n)["image"], key=key))) for n, key in enumerate(keys))


class Stage(NamedTuple):
    """One piece of a training, up to its death."""

    epoch: int
    workers: int
    ranks: int
    steps: int
    """How many steps it does before it is killed."""
    states: list[Any] | None = None
    """Those of all ranks before, or None at the start of the epoch."""
    rank: int = 0
    folder: str = ""

    @property
    def keyed(self) -> ss.KeyedMap:
        return ss.keyed_map(AUGMENT, seed=SEED, epoch=self.epoch, id="id")


Reading = tuple[Iterator[Any], Callable[[], Any]]
"""The batches, and what returns the state after the last one."""


def begin(stream: Any, stage: Stage, states: Any) -> Reading:
    """Read a stream with the library's loader."""
    if isinstance(states, dict) and states["epoch"] > stage.epoch:  # this rank had its whole share before
        return iter(()), lambda: states
    loading = loader(stream, batch_size=BATCH, num_workers=stage.workers)
    if stage.states:
        loading.load_state_dict(states)
    else:
        loading.set_epoch(stage.epoch)
    return iter(loading), loading.state_dict


def shard_numbers(shard: int) -> range:
    return range(sum(SIZES[:shard]), sum(SIZES[: shard + 1]))


def write_tars(folder: Path) -> list[str]:
    import io

    import webdataset as wds

    for shard in range(len(SIZES)):
        with wds.TarWriter(str(folder / f"{shard}.tar")) as tar:
            for n in shard_numbers(shard):
                file = io.BytesIO()
                np.save(file, record(n)["image"])
                tar.write({"__key__": name_of(n), "npy": file.getvalue(), "cls": str(n).encode()})
    return [str(folder / f"{shard}.tar") for shard in range(len(SIZES))]


def tars(stage: Stage) -> list[str]:
    return [str(Path(stage.folder, f"{shard}.tar")) for shard in range(len(SIZES))]


def of_tar(sample: dict[str, Any]) -> dict[str, Any]:
    return {"id": sample["__key__"], "n": int(sample["cls"]), "image": sample["npy"]}


def webdataset(stage: Stage) -> Reading:
    import webdataset as wds

    source = wds.WebDataset(
        tars(stage), shardshuffle=False, nodesplitter=wds.split_by_node, empty_check=False
    )
    stream = AugmentedIterable(source.decode().map(of_tar), AUGMENT, seed=SEED, id="id")
    return begin(stream, stage, stage.states and stage.states[stage.rank])


def webdataset_resampled(stage: Stage) -> Reading:
    import webdataset as wds

    shards = wds.ResampledShards(tars(stage), seed=7, deterministic=True)
    source = wds.DataPipeline(shards, wds.tarfile_to_samples(), wds.decode(), wds.map(of_tar)).with_epoch(40)
    stream = AugmentedIterable(source, AUGMENT, seed=SEED, id="id")
    return begin(stream, stage, stage.states and stage.states[stage.rank])


def webdataset_shards(stage: Stage) -> Reading:
    import webdataset as wds

    shards = [
        wds.WebDataset(url, shardshuffle=False, nodesplitter=None).decode().map(of_tar) for url in tars(stage)
    ]
    source = Shards(shards, num_replicas=stage.ranks, rank=stage.rank)
    return begin(AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), stage, stage.states)


class Lines:
    """A file of records."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[Any]:
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                yield record(int(line))


def write_files(folder: Path) -> None:
    for shard in range(len(SIZES)):
        (folder / f"{shard}.txt").write_text("".join(f"{n}\n" for n in shard_numbers(shard)))


def files(stage: Stage) -> Reading:

    shards = [Lines(str(Path(stage.folder, f"{shard}.txt"))) for shard in range(len(SIZES))]
    source = Shards(shards, num_replicas=stage.ranks, rank=stage.rank)
    return begin(AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), stage, stage.states)


def generated(shards: list[int]) -> Iterator[Any]:
    for shard in shards:
        for n in shard_numbers(shard):
            yield {**record(n), "image": record(n)["image"].tolist()}


def with_array(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "image": np.asarray(row["image"], np.uint8)}


def of_hugging_face() -> Any:
    from datasets import IterableDataset

    source = IterableDataset.from_generator(generated, gen_kwargs={"shards": list(range(len(SIZES)))})
    return source.map(with_array)


def hugging_face(stage: Stage) -> Reading:
    from datasets.distributed import split_dataset_by_node

    source = split_dataset_by_node(of_hugging_face(), stage.rank, stage.ranks)
    stream = AugmentedIterable(source, AUGMENT, seed=SEED, id="id")
    return begin(stream, stage, stage.states and stage.states[stage.rank])


def hugging_face_shards(stage: Stage) -> Reading:

    whole = of_hugging_face()
    shards = [whole.shard(len(SIZES), shard) for shard in range(len(SIZES))]
    source = Shards(shards, num_replicas=stage.ranks, rank=stage.rank)
    return begin(AugmentedIterable(source, AUGMENT, seed=SEED, id="id"), stage, stage.states)


def write_litdata(folder: Path) -> None:
    from litdata import optimize

    optimize(
        fn=record,
        inputs=list(range(RECORDS)),
        output_dir=str(folder / "lit"),
        chunk_size=9,
        num_workers=1,
        start_method="fork",
    )


def litdata(stage: Stage) -> Reading:
    from litdata import StreamingDataLoader, StreamingDataset

    source = StreamingDataset(
        str(Path(stage.folder, "lit")), shuffle=True, seed=7, drop_last=False, transform=[stage.keyed]
    )
    loading = StreamingDataLoader(source, batch_size=BATCH, num_workers=stage.workers)
    if stage.states:
        loading.load_state_dict(stage.states[0])
    return iter(loading), loading.state_dict


def write_mosaicml(folder: Path) -> None:
    from streaming import MDSWriter

    columns = {"id": "str", "n": "int", "image": "ndarray"}
    with MDSWriter(out=str(folder / "mds"), columns=columns, size_limit=2**14) as writer:
        for n in range(RECORDS):
            writer.write(record(n))


def mosaicml(stage: Stage) -> Reading:
    from streaming import StreamingDataLoader, StreamingDataset

    class Keyed(StreamingDataset):  # type: ignore[misc]
        def __getitem__(self, at: Any) -> Any:
            return stage.keyed(super().__getitem__(at))

    source = Keyed(
        local=str(Path(stage.folder, "mds")),
        batch_size=BATCH,
        shuffle=True,
        shuffle_seed=7,
        num_canonical_nodes=1,
    )
    loading = StreamingDataLoader(source, batch_size=BATCH, num_workers=stage.workers)
    if stage.states:
        loading.load_state_dict(stage.states[0])
    return iter(loading), loading.state_dict


def grain(stage: Stage) -> Reading:
    import grain
    from absl import flags

    flags.FLAGS.mark_as_parsed()
    data = grain.MapDataset.source([record(n) for n in range(RECORDS)]).shuffle(seed=7).map(stage.keyed)
    options = grain.multiprocessing.MultiprocessingOptions(num_workers=stage.workers)
    batches = grain.experimental.ElasticIterator(
        data,
        6,  # records of all ranks in a step: Grain leaves out those that do not fill one
        grain.sharding.ShardOptions(stage.rank, stage.ranks),
        multiprocessing_options=options if stage.workers else None,
    )
    if stage.states:
        batches.set_state(stage.states[0])
    return iter(batches), batches.get_state


class Source(NamedTuple):
    """A source: how its data are written, how a rank reads them, and what it can do."""

    library: str
    write: Callable[[Path], Any]
    read: Callable[[Stage], Reading]
    elastic: bool = True
    """Whether other workers and ranks can go on."""
    whole: bool = True
    """Whether an epoch has each record once, where nothing is stopped."""
    fills: bool = False
    """Whether records come again where ranks would have fewer in the last step than others."""


SOURCES = {
    "files": Source("json", write_files, files),
    "webdataset shards": Source("webdataset", write_tars, webdataset_shards),
    "hugging face shards": Source("datasets", lambda folder: None, hugging_face_shards),
    # With other workers or ranks it repeats and loses records, also where this library has no part in the reading.
    "litdata": Source("litdata", write_litdata, litdata, elastic=False),
    "mosaicml": Source("streaming", write_mosaicml, mosaicml, fills=True),
    "grain": Source("grain", lambda folder: None, grain),
    "hugging face": Source("datasets", lambda folder: None, hugging_face, elastic=False),
    "webdataset": Source("webdataset", write_tars, webdataset, elastic=False),
    "webdataset resampled": Source(
        "webdataset", write_tars, webdataset_resampled, elastic=False, whole=False
    ),
}


def rows(batch: Any) -> list[tuple[int, str]]:
    pairs = zip(batch["n"], batch["image"], strict=True)
    return [(int(n), digest(np.asarray(image).astype(np.uint8))) for n, image in pairs]


def be_a_rank(pipe: Any, source: Source, stage: Stage, port: int) -> None:
    """Do a step each time the parent asks for one, and answer with its records and the state after it."""
    os.setpgid(0, 0)  # so that its workers die with it
    ranks = {"WORLD_SIZE": stage.ranks, "RANK": stage.rank, "GLOBAL_RANK": stage.rank, "MASTER_PORT": port}
    local = {"LOCAL_RANK": stage.rank, "LOCAL_WORLD_SIZE": stage.ranks, "MASTER_ADDR": "127.0.0.1"}
    os.environ.update({name: str(value) for name, value in (ranks | local).items()})
    try:
        batches, state = source.read(stage)
        while pipe.recv():
            batch = next(batches, None)
            pipe.send((None if batch is None else rows(batch), pickle.dumps(state())))
    except Exception as error:  # noqa: BLE001  # goes to the parent, as any other answer
        pipe.send(f"{type(error).__name__}: {error}"[:2000])
    os._exit(0)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Ranks:
    """The processes of a stage."""

    def __init__(self, source: Source, stage: Stage) -> None:
        self.pipes, self.children, port = [], [], free_port()
        self.over = [False] * stage.ranks
        self.states: list[Any] = [None] * stage.ranks
        for rank in range(stage.ranks):
            ours, theirs = Pipe()
            child = os.fork()
            if not child:
                be_a_rank(theirs, source, stage._replace(rank=rank), port)
            theirs.close()
            self.pipes.append(ours)
            self.children.append(child)

    def ask(self) -> list[int]:
        """Let the ranks that have more to read begin a step, and return their numbers."""
        reading = [rank for rank, over in enumerate(self.over) if not over]
        for rank in reading:
            self.pipes[rank].send(True)
        return reading

    def step(self) -> list[tuple[int, str]]:
        """Return the records of a whole step."""
        records: list[tuple[int, str]] = []
        for rank in self.ask():
            answer = self.pipes[rank].recv()
            if isinstance(answer, str):
                raise RuntimeError(answer)
            batch, state = answer
            self.over[rank], self.states[rank] = batch is None, pickle.loads(state)
            records += batch or []
        return records

    def kill(self) -> None:
        for child in self.children:
            for kill in (os.killpg, os.kill):  # it may not have its group yet
                with suppress(ProcessLookupError):
                    kill(child, signal.SIGKILL)
        for child in self.children:
            os.waitpid(child, 0)


def run(source: Source, stage: Stage, delay: float) -> tuple[list[tuple[int, str]], list[Any] | None, bool]:
    """Do a stage, and return its records, the states of its ranks after its last whole step, and whether the epoch came to its end."""
    ranks, records = Ranks(source, stage), []
    try:
        for _ in range(stage.steps):
            if not all(ranks.over):
                records += ranks.step()
        if not all(ranks.over):  # it dies in the middle of one more step
            ranks.ask()
            ranks.pipes[0].poll(delay)
    finally:
        ranks.kill()
    return records, ranks.states, all(ranks.over)


def schedule(source: Source, number: int, folder: str) -> dict[str, Any]:
    """Read one epoch in some pieces, and tell what became of its records."""
    draw = random.Random(number)
    epoch, ranks, workers = draw.randrange(3), draw.randint(1, 3), draw.randint(0, 4)
    records: list[tuple[int, str]] = []
    states, over, pieces, error = None, False, [], None
    deaths = draw.randint(1, 3)
    while not over and error is None:
        steps = draw.randint(1, max(RECORDS // (BATCH * ranks * 2), 1)) if deaths else RECORDS
        stage = Stage(epoch, workers, ranks, steps, states, folder=folder)
        pieces.append((workers, ranks, steps))
        try:
            made, states, over = run(source, stage, draw.random() / 50)
            records += made
        except RuntimeError as failure:
            error = str(failure)
        deaths -= 1
        if source.elastic:
            ranks, workers = draw.randint(1, 3), draw.randint(0, 4)
    right, wanted, found = expected(epoch), Counter(range(RECORDS)), Counter(n for n, _ in records)
    if not source.whole and error is None:  # what comes if nothing is stopped
        uninterrupted, _, _ = run(source, Stage(epoch, workers, ranks, 10**6, folder=folder), 0)
        wanted = Counter(n for n, _ in uninterrupted)
    again = (found - wanted).total()
    filled = min(again, pieces[-1][1] - 1) if source.fills else 0
    return {
        "number": number,
        "epoch": epoch,
        "pieces": pieces,
        "error": error,
        "otherwise": len(set(records) - set(right)),
        "lost": (wanted - found).total(),
        "again": again - filled,
        "filled": filled,
    }


def main(name: str, first: int, last: int) -> None:
    source = SOURCES[name]
    importlib.import_module(source.library)  # once, before the forks
    with tempfile.TemporaryDirectory() as folder:
        source.write(Path(folder))
        for number in range(first, last):
            if name == "mosaicml":
                from streaming.base.util import clean_stale_shared_memory

                clean_stale_shared_memory()
            print(json.dumps(schedule(source, number, folder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
