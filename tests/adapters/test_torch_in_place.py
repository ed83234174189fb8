"""Batches made in place: equal to default_collate's, and safe whatever is done with them."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest
import torch
from programs import python
from torch.utils.data import DataLoader, StackDataset, Subset, default_collate
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe.ring import memory, reader
from seedsafe.ring.arrays import _mine
from seedsafe_torch import AugmentedDataset, collate, loader, why_not_in_place
from seedsafe_torch.in_place import RowByRow

Pair = namedtuple("Pair", "image label")  # default_collate makes one of what a sample is
LENGTH = 40


def image(index: int, dtype: str = "float32") -> np.ndarray:
    return (np.arange(3 * 60 * 60) % 97 + index).astype(dtype).reshape(3, 60, 60)


FORMS: dict[str, Callable[[int], Any]] = {
    "array": image,
    "uint8": lambda i: image(i, "uint8"),
    "uint16": lambda i: image(i, "uint16"),
    "bool": lambda i: image(i) % 2 == 0,
    "complex": lambda i: image(i, "complex64"),
    "float16": lambda i: image(i, "float16"),
    "tensor": lambda i: torch.from_numpy(image(i)),
    "bfloat16": lambda i: torch.from_numpy(image(i)).bfloat16(),
    "tuple": lambda i: (image(i), i),
    "list": lambda i: [image(i), float(i), image(i, "uint8")],
    "named": lambda i: Pair(image(i), i),
    "dict": lambda i: {"image": image(i), "name": f"{i}", "box": np.zeros(4), "raw": b"x", "yes": i % 2 == 0},
    "nested": lambda i: ({"a": [image(i), (torch.full((100, 100), i), np.float32(i))]}, np.int16(i)),
    "OrderedDict": lambda i: OrderedDict(b=image(i), a=i),
    "defaultdict": lambda i: defaultdict(list, a=image(i)),
    "keys in another order": lambda i: dict(
        sorted({"a": image(i), "b": image(i + 1)}.items(), reverse=i % 2 > 0)
    ),
    "transposed": lambda i: image(i).transpose(1, 2, 0),
    "transposed tensor": lambda i: torch.from_numpy(image(i)).permute(1, 2, 0),
    "channels last": lambda i: torch.from_numpy(image(i)[None]).to(memory_format=torch.channels_last),
    "strided": lambda i: image(i)[:, ::2, ::2],
    "read-only": lambda i: np.frombuffer(image(i).tobytes(), np.float32).reshape(3, 60, 60),
    "without axes": lambda i: (np.array(i), torch.tensor(i)),
    "empty": lambda i: (np.zeros((0, 4)), torch.zeros(3, 0)),
    "small": lambda i: (np.full(3, i), torch.full((2,), i)),
    "parameter": lambda i: torch.nn.Parameter(torch.full((100, 100), float(i)), requires_grad=False),
}


class Base:
    """A dataset of samples of one form."""

    def __init__(self, form: str) -> None:
        self.form = form

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        return FORMS[self.form](index)


class Failing(Base):
    """One that fails in the middle of the third batch."""

    def __getitem__(self, index: int) -> Any:
        if index == 21:
            raise OSError("the disk is gone")
        return super().__getitem__(index)


def batches(form: str = "tuple", **options: Any) -> DataLoader[Any]:
    dataset = AugmentedDataset(Base(form), seed=1, epoch=0)
    return loader(dataset, **({"batch_size": 8} | options))


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    gc.collect()
    reader.state.__init__()
    _mine.__init__()


def same(ours: Any, theirs: Any) -> None:
    """Assert that two batches are equal in everything that a user may see."""
    assert type(ours) is type(theirs)
    if isinstance(ours, torch.Tensor):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert ours.stride() == theirs.stride()
        assert ours.layout == theirs.layout
        assert ours.requires_grad == theirs.requires_grad
        assert torch.equal(ours, theirs)
        if ours.numel():
            ours[...] = 0  # writable
        return
    if isinstance(ours, dict):
        assert list(ours) == list(theirs)
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(ours, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
    else:
        assert ours == theirs


def mapped(name: str) -> int:
    """Return how many parts of memory files of a name this process has mapped."""
    return sum(name in line for line in Path("/proc/self/maps").read_text().splitlines())


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_they_are_equal_to_default_collates(form: str, workers: int) -> None:
    in_place, usual = (batches(form, num_workers=workers, in_place=one) for one in (None, False))
    assert why_not_in_place(in_place) is None
    assert len(list(usual)) == 5
    for _ in range(2):
        for ours, theirs in zip(in_place, usual, strict=True):
            same(ours, theirs)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    "sample",
    [
        lambda i: image(i)[:, : 30 + i % 2],
        lambda i: image(i)[:, ::-1],
        lambda i: image(i) if i % 2 else None,
        lambda i: {"a": image(i)} if i % 2 else {"b": image(i)},
        lambda i: image(i).astype(object),
        lambda i: image(i).astype(">f4"),
        lambda i: (image(i),) * (1 + i % 2),
    ],
    ids=["ragged", "negative strides", "None", "other keys", "objects", "another byte order", "more parts"],
)
def test_what_cannot_be_collated_raises_the_same_error(sample: Any, workers: int) -> None:
    samples = [sample(i) for i in range(8)]
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # whatever it is
        default_collate(samples)
    with pytest.raises(type(theirs.value)):
        next(iter(DataLoader(RowByRow(samples), batch_size=8, num_workers=workers, collate_fn=collate)))


CHANGING: dict[str, Callable[[int], Any]] = {
    "a shape in the next batch": lambda i: image(i)[: 3 - i // 8],
    "ragged, then equal": lambda i: image(i)[:, : 40 + min(i, 8)],
    "a shape of as many bytes": lambda i: image(i).reshape(60, 3, 60) if i == 13 else image(i),
    "a dtype": lambda i: image(i, "float64" if i == 13 else "float32"),
    "a dtype of as many bytes": lambda i: image(i, "int32" if i == 13 else "float32"),
    "a missing key": lambda i: {"a": image(i)} | ({} if i == 13 else {"b": image(i)}),
    "a key more": lambda i: {"a": image(i)} | ({"b": image(i)} if i == 13 else {}),
    "a scalar for an array": lambda i: (1.0 if i == 13 else image(i), i),
    "an array for a scalar": lambda i: (image(i), image(i) if i == 13 else i),
    "a tensor for an array": lambda i: torch.from_numpy(image(i)) if i == 13 else image(i),
    "an array for a tensor": lambda i: image(i) if i == 8 else torch.from_numpy(image(i)),
    "a label's type": lambda i: (image(i), np.float64(i) if i < 13 else f"{i}"),
    "None for a label": lambda i: (image(i), None if i == 13 else i),
    "a list for a tuple": lambda i: [image(i), i] if i == 13 else (image(i), i),
    "fewer parts": lambda i: (image(i),) if i == 13 else (image(i), i),
    "a sparse tensor": lambda i: torch.eye(100).to_sparse() if i == 13 else torch.eye(100),
    "a tensor of another device": lambda i: torch.zeros(100, 100, device="meta" if i == 13 else "cpu"),
}


@pytest.mark.parametrize("changing", CHANGING)
def test_samples_that_change_within_an_epoch_give_the_same_batches_and_errors(
    changing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMS, changing, CHANGING[changing])
    ours, theirs = (delivered(batches(changing, in_place=one)) for one in (None, False))
    for one, other in zip(ours, theirs, strict=True):
        same(one, other)


def delivered(loading: Any) -> list[Any]:
    """Return three batches, or what is said in their place."""
    passing, found = iter(loading), []
    for _ in range(3):
        try:
            found.append(next(passing))
        except Exception as error:  # noqa: BLE001  # whatever it is
            found.append((type(error).__name__, str(error).splitlines()[-1:]))
    return found


def test_a_gradient_within_a_batch_stays() -> None:  # torch itself cannot send one out of a worker
    samples = [torch.full((100, 100), float(i), requires_grad=i == 3) for i in range(8)]
    ours, theirs = collate(samples), default_collate(samples)
    assert ours.requires_grad
    assert torch.equal(ours, theirs)


@pytest.mark.parametrize("workers", [0, 1])
def test_dtypes_that_differ_are_joined_as_default_collate_joins_them(workers: int) -> None:
    samples = [torch.full((100, 100), i, dtype=torch.int64 if i % 2 else torch.float32) for i in range(8)]
    given = {"batch_size": 8, "num_workers": workers}
    ours = next(iter(DataLoader(RowByRow(samples), collate_fn=collate, **given)))
    same(ours, next(iter(DataLoader(samples, **given))))


def test_an_entry_of_the_users_in_torchs_table_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.utils.data._utils.collate import default_collate_fn_map

    monkeypatch.setitem(
        default_collate_fn_map, np.ndarray, lambda parts, *, collate_fn_map: f"{len(parts)} arrays"
    )
    assert collate([image(0), image(1)]) == "2 arrays"


@pytest.mark.parametrize("workers", [0, 2])
class TestHeld:
    def test_all_batches_of_an_epoch(self, workers: int) -> None:
        held = list(batches(num_workers=workers, batch_size=2))
        for number, (images, labels) in enumerate(held):
            same([images, labels], default_collate([(image(i), i) for i in (2 * number, 2 * number + 1)]))

    def test_all_batches_changed_in_place(self, workers: int) -> None:
        held = []
        for number, (images, labels) in enumerate(batches(num_workers=workers, batch_size=2)):
            same([images, labels], default_collate([(image(i), i) for i in (2 * number, 2 * number + 1)]))
            images.fill_(-1)
            labels.fill_(-1)
            held.append((images, labels))
        assert all((images == -1).all() and (labels == -1).all() for images, labels in held)

    def test_one_row_of_each_batch(self, workers: int) -> None:
        rows = []
        for _ in range(2):
            rows += [images[1] for images, _ in batches(num_workers=workers, batch_size=2)]
        for number, row in enumerate(rows):
            assert torch.equal(row, torch.from_numpy(image(2 * (number % 20) + 1)))

    def test_copies_and_pickles(self, workers: int) -> None:
        kept = []
        for images, _ in batches(num_workers=workers, batch_size=4):
            kept.append(
                (pickle.loads(pickle.dumps(images)), copy.deepcopy(images), images.clone().share_memory_())
            )
        for number, copies in enumerate(kept):
            wanted = default_collate([image(4 * number + i) for i in range(4)])
            assert all(torch.equal(one, wanted) for one in copies)

    def test_arrays_over_them(self, workers: int) -> None:
        arrays = [images.numpy()[1:] for images, _ in batches(num_workers=workers, batch_size=2)]
        for number, array in enumerate(arrays):
            np.testing.assert_array_equal(array[0], image(2 * number + 1))


WAYS: list[dict[str, Any]] = [
    {},
    {"persistent_workers": True},
    {"prefetch_factor": 5},
    {"prefetch_factor": 1, "drop_last": True, "batch_size": 7},
    {"in_order": False},
    {"multiprocessing_context": "spawn", "persistent_workers": True},
    {"multiprocessing_context": "forkserver", "persistent_workers": True},
    {"batch_size": 1},
    {"batch_size": 64},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_way_to_load(way: dict[str, Any]) -> None:
    loading = batches(num_workers=2, **way)
    for _ in range(3):
        seen = {
            int(label): row for images, labels in loading for row, label in zip(images, labels, strict=True)
        }
        assert len(seen) == (LENGTH // 7 * 7 if "drop_last" in way else LENGTH)
        assert all(torch.equal(row, torch.from_numpy(image(label))) for label, row in seen.items())


class TestLoaders:
    @pytest.mark.parametrize("persistent", [False, True])
    def test_a_pass_that_is_left_costs_nothing_for_ever(self, persistent: bool) -> None:
        loading = batches(num_workers=2, persistent_workers=persistent)
        seen = []
        for number in range(8):
            for left, (images, labels) in enumerate(loading):
                same(
                    [images, labels], default_collate([(image(8 * left + i), 8 * left + i) for i in range(8)])
                )
                if left == 1:
                    break
            del images, labels
            if number > 2:
                seen.append((len(reader.state.rings), len(os.listdir("/proc/self/fd"))))
        assert max(seen) <= (8, max(fds for _, fds in seen))
        assert max(fds for _, fds in seen) - min(fds for _, fds in seen) <= 8

    @pytest.mark.parametrize("workers", [0, 2])
    def test_threads_drop_batches_while_others_are_delivered(
        self, workers: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        unseen: list[object] = []
        monkeypatch.setattr(sys, "unraisablehook", lambda raised: unseen.append(raised.exc_value))
        full: SimpleQueue[list[torch.Tensor] | None] = SimpleQueue()

        def drop() -> None:
            while (held := full.get()) is not None:
                held.clear()

        threads = [threading.Thread(target=drop) for _ in range(3)]
        for thread in threads:
            thread.start()
        loading = batches(num_workers=workers, batch_size=2, persistent_workers=workers > 0)
        held: list[torch.Tensor] = []
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for _ in range(30):
                for images, labels in loading:
                    for row, label in zip(images, labels, strict=True):
                        assert torch.equal(row, torch.from_numpy(image(int(label))))
                    held.append(images)
                    if len(held) == 12:
                        full.put(held)
                        held = []
        finally:
            sys.setswitchinterval(before)
            for _ in threads:
                full.put(None)
            for thread in threads:
                thread.join()
        assert unseen == []

    @pytest.mark.parametrize("workers", [0, 2])
    def test_nothing_is_left_of_a_loader_that_is_gone(self, workers: int) -> None:
        loading = batches(num_workers=workers, persistent_workers=workers > 0)
        for images, _ in loading:
            assert images.shape[0] == 8
        del images, _
        assert _mine.buffers()._free if workers == 0 else reader.state.rings
        del loading
        gc.collect()
        assert not _mine.buffers()._free
        assert not reader.state.rings
        assert mapped("memfd:seedsafe-ring") == 0

    def test_epochs_of_new_workers_leave_nothing(self) -> None:
        loading = batches(num_workers=2)
        seen = []
        for _ in range(6):
            for batch in loading:
                del batch
            gc.collect()
            assert mapped("memfd:seedsafe-ring") <= 2 * (1 + 2 + 2)  # header and slots of two rings
            seen.append(len(os.listdir("/proc/self/fd")))
        assert min(seen[2:]) <= max(seen[:2])  # threads of the last workers may close theirs a little later

    def test_two_live_iterators(self) -> None:
        loading, other = batches(num_workers=2), batches(num_workers=1)
        for (images, labels), (others, _) in zip(loading, other, strict=True):
            assert torch.equal(images, others)
            assert int(images[0, 0, 0, 0]) == int(labels[0])

    def test_inside_of_a_thread(self) -> None:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.extend(batches(num_workers=2)))
        thread.start()
        thread.join()
        assert [int(label) for _, labels in found for label in labels] == list(range(LENGTH))
        assert all(
            torch.equal(images[0], torch.from_numpy(image(int(labels[0])))) for images, labels in found
        )

    def test_threads_that_read_one_loader_each(self) -> None:
        wrong: list[int] = []

        def read() -> None:
            for _ in range(3):
                for images, labels in batches(num_workers=0):
                    wrong.extend(
                        int(label)
                        for row, label in zip(images, labels, strict=True)
                        if not torch.equal(row, torch.from_numpy(image(int(label))))
                    )

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []

    @pytest.mark.parametrize("workers", [0, 1])
    def test_an_error_in_a_sample_is_raised_and_the_next_batch_comes(self, workers: int) -> None:
        dataset = AugmentedDataset(Failing("tuple"), seed=1, epoch=0)
        read = iter(loader(dataset, batch_size=8, num_workers=workers))
        for number in range(5):
            if number == 2:
                with pytest.raises(ss.SampleError, match="the disk is gone"):
                    next(read)
            else:
                images, labels = next(read)
                first = 8 * number
                same([images, labels], default_collate([(image(first + i), first + i) for i in range(8)]))

    @pytest.mark.parametrize("workers", [0, 2])
    def test_samples_that_are_left_out(self, workers: int) -> None:
        dataset = AugmentedDataset(Failing("tuple"), seed=1, epoch=0, on_error="skip")
        loading = loader(dataset, batch_size=8, num_workers=workers)
        assert why_not_in_place(loading) is None
        with pytest.warns(UserWarning, match="21"):
            read = list(loading)
        assert [len(labels) for _, labels in read] == [8, 8, 7, 8, 8]
        assert all(
            torch.equal(images[-1], torch.from_numpy(image(int(labels[-1])))) for images, labels in read
        )

    def test_a_worker_that_is_killed_is_an_error_and_what_came_is_kept(self) -> None:
        loading = batches(num_workers=2, batch_size=2)
        read = iter(loading)
        first = next(read)
        for worker in read._workers:
            os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(RuntimeError):
            list(read)
        same(list(first), default_collate([(image(0), 0), (image(1), 1)]))

    def test_a_loader_that_somebody_builds_anew_of_its_parts(self) -> None:
        loading = batches(num_workers=2)
        anew = DataLoader(
            loading.dataset, batch_sampler=loading.batch_sampler, collate_fn=loading.collate_fn, num_workers=2
        )
        assert why_not_in_place(anew) is None
        for ours, theirs in zip(anew, batches(in_place=False), strict=True):
            same(ours, theirs)

    def test_another_collate_function_gets_samples(self) -> None:
        def own(samples: Any) -> Any:
            assert type(samples) is list
            assert all(type(part) is np.ndarray and type(label) is int for part, label in samples)
            return default_collate(samples)

        loading = batches()
        anew = DataLoader(
            loading.dataset, sampler=loading.sampler, batch_size=8, collate_fn=own, num_workers=2
        )
        for ours, theirs in zip(anew, batches(in_place=False), strict=True):
            same(ours, theirs)

    @pytest.mark.parametrize("workers", [0, 2])
    def test_torchdatas_stateful_loader(self, workers: int) -> None:
        loading = batches()
        anew = StatefulDataLoader(
            loading.dataset, batch_size=8, collate_fn=collate, num_workers=workers, sampler=loading.sampler
        )
        for ours, theirs in zip(anew, batches(in_place=False), strict=True):
            same(ours, theirs)

    @pytest.mark.parametrize("workers", [0, 2])
    def test_wrapped_datasets(self, workers: int) -> None:
        one, other = (AugmentedDataset(Base("tuple"), seed=seed, epoch=0) for seed in (1, 2))
        stacked = Subset(StackDataset(one, other), range(3, 30))
        in_place, usual = (
            loader(stacked, batch_size=4, num_workers=workers, in_place=wanted) for wanted in (True, False)
        )
        for ours, theirs in zip(in_place, usual, strict=True):
            same(ours, theirs)


def doubled(samples: Any) -> Any:
    images, labels = collate(samples)
    return {
        "images": images,
        "twice": images * 2,
        "rows": images[2:],
        "labels": labels,
        "count": len(samples),
    }


def scaled(samples: Any) -> Any:
    images, labels = collate(samples)
    images.mul_(2)
    labels.set_(labels + 100)  # other memory under the same tensor
    return images.transpose_(1, 2), labels


@pytest.mark.parametrize("workers", [0, 2])
def test_a_collate_function_of_the_users(workers: int) -> None:
    for number, batch in enumerate(batches(num_workers=workers, collate_fn=doubled)):
        images, labels = default_collate([(image(8 * number + i), 8 * number + i) for i in range(8)])
        wanted = {"images": images, "twice": images * 2, "rows": images[2:], "labels": labels, "count": 8}
        same({name: part.clone() if name != "count" else part for name, part in batch.items()}, wanted)
    for number, (images, labels) in enumerate(batches(num_workers=workers, collate_fn=scaled)):
        assert labels.tolist() == [100 + 8 * number + i for i in range(8)]
        wanted = default_collate([image(8 * number + i) for i in range(8)]) * 2
        assert torch.equal(images, wanted.transpose(1, 2))


def test_shared_memory_with_a_name_is_not_used() -> None:
    def files() -> set[str]:
        lines = Path("/proc/self/maps").read_text().splitlines()
        return {line.split()[4] for line in lines if "/torch_" in line}  # their inodes

    used = {}
    for in_place in (None, False):
        before = files()  # of other tests
        held = list(batches("dict", num_workers=2, in_place=in_place))
        used[in_place] = len(files() - before)
        del held
    assert used[None] == 0 < used[False]


class TestTold:
    def test_by_default_a_collate_function_is_left_alone(self) -> None:
        loading = batches(collate_fn=default_collate)
        assert "default_collate" in str(why_not_in_place(loading))

    def test_it_is_turned_off(self) -> None:
        loading = batches(in_place=False)
        assert loading.collate_fn is default_collate
        assert not isinstance(loading._outer, RowByRow)

    def test_what_was_asked_for_and_cannot_be_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ValueError, match="collate_fn"):
            batches(in_place=True, collate_fn=default_collate)
        with pytest.raises(ValueError, match="makes no batches"):
            batches(in_place=True, batch_size=None)
        monkeypatch.delattr(os, "memfd_create")
        with pytest.raises(ValueError, match="Linux"):
            batches(in_place=True, num_workers=2)

    def test_where_it_cannot_be_the_batches_are_torchs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "memfd_create")
        loading = batches(num_workers=2)
        assert loading.collate_fn is default_collate
        assert len(list(loading)) == 5

    def test_a_ring_that_could_not_be_mapped_once_is_told_and_the_next_is_tried(self) -> None:
        reader.map_ring(memory.Handle(f"/proc/{2**22}/fd/3", (1, 1)))
        loading = batches(num_workers=1)
        assert "No such file" in str(why_not_in_place(loading))
        assert len(list(loading)) == 5
        assert why_not_in_place(loading) is None


KILLED = """
import os, signal, sys, torch
sys.path[:0] = {path!r}
import test_torch_in_place as tests

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
loading = tests.batches(num_workers=2, batch_size=2)
read = iter(loading)
held = [next(read), next(read)]
print(os.getpid(), *(worker.pid for worker in read._workers), flush=True)
if {signal!r} == signal.SIGKILL:
    os.kill(os.getpid(), signal.SIGKILL)
try:
    os.kill(os.getpid(), signal.SIGINT)
    for batch in read:
        pass
except KeyboardInterrupt:
    sys.exit(3)
"""


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_training_process_that_is_killed_leaves_nothing(kind: signal.Signals) -> None:
    here = Path(__file__).parent
    code = KILLED.format(path=[str(here)], signal=int(kind))
    before = set(os.listdir("/dev/shm"))  # what others left may bear a number that comes again
    done = python("-c", code, check=False)
    assert done.returncode == (-9 if kind == signal.SIGKILL else 3), done.stderr
    parent, *workers = (int(word) for word in done.stdout.split())
    assert len(workers) == 2
    for worker in workers:  # torch's workers look for their parent every five seconds
        assert ended(worker)
    left = re.findall(r"\d+", " ".join(set(os.listdir("/dev/shm")) - before))
    assert not {str(process) for process in (parent, *workers)} & set(left)


def ended(process: int) -> bool:
    """Wait for a process of another parent to end."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    import select

    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


SMALL_SHM = """
import sys, numpy as np
from seedsafe_torch import AugmentedDataset, loader
base = [np.zeros((3, 512, 512), np.float32)] * 64  # 50 MB a batch of 16
in_place = sys.argv[1] == "in place"
loading = loader(AugmentedDataset(base, seed=1), batch_size=16, num_workers=2, in_place=in_place)
print(sum(len(batch) for batch in list(loading)))
"""


def test_a_run_that_64_mb_of_shared_memory_break_goes_through() -> None:
    def run(way: str) -> subprocess.CompletedProcess[str]:
        code = f"mount -t tmpfs -o size=64m tmpfs /dev/shm && exec {sys.executable} -c '{SMALL_SHM}' '{way}'"
        command = ["unshare", "--map-root-user", "--mount", "bash", "-c", code]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)

    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False).returncode:
        pytest.skip("this system does not let a test mount a small /dev/shm")
    assert run("in place").stdout == "64\n"
    broken = run("plain")
    assert broken.returncode
    assert "shm" in broken.stderr or "Bus error" in broken.stderr


@pytest.mark.matrix
@pytest.mark.parametrize("workers", [0, 2])
def test_a_million_small_samples_leave_memory_descriptors_and_mappings_as_they_were(workers: int) -> None:
    dataset = AugmentedDataset(Millions(), seed=1, epoch=0)
    read = iter(loader(dataset, batch_size=500, num_workers=workers))
    seen = []
    for step, batch in enumerate(read):
        assert batch.shape == (500, 8, 8, 1)
        if step in (200, 1999):
            processes = ["self", *(worker.pid for worker in getattr(read, "_workers", ()))]
            seen.append([standing(process) for process in processes])
    for early, late in zip(*seen, strict=True):
        assert late[0] <= early[0] * 1.05 + 8192
        assert late[1] <= early[1] + 2
        assert late[2] <= early[2] + 2


class Millions:
    """A million small samples."""

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> np.ndarray:
        return np.full((8, 8, 1), index % 256, np.uint8)


def standing(process: int | str) -> tuple[int, int, int]:
    """Return a process's memory in KiB, its descriptors and its mappings of rings."""
    at = Path(f"/proc/{process}")
    memory = re.search(r"VmRSS:\s+(\d+)", (at / "status").read_text())
    assert memory is not None
    mappings = (at / "maps").read_text().count("memfd:seedsafe-ring")
    return int(memory[1]), len(os.listdir(at / "fd")), mappings
