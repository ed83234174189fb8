"""Samples of several dtypes: the batch has one dtype and the same bytes for any workers."""

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset, default_collate
from torch.utils.data._utils.collate import default_collate_fn_map

from seedsafe import Compose
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

KINDS = {
    "float32 first": (np.float32, np.float64),
    "float64 first": (np.float64, np.float32),
    "integers first": (np.int64, np.float32),
}


class Mixed:
    def __init__(self, kind, as_tensors):
        self.kinds, self.as_tensors = KINDS[kind], as_tensors

    def __len__(self):
        return 4

    def __getitem__(self, index):
        array = np.full(3, 0.1 + index, self.kinds[index % 2])
        return {"x": torch.from_numpy(array) if self.as_tensors else array}


def own(samples):
    return default_collate(samples)


LOADERS = {
    "in place": lambda data, workers: loader(data, batch_size=4, num_workers=workers),
    "not in place": lambda data, workers: loader(data, batch_size=4, num_workers=workers, in_place=False),
    "a part": lambda data, workers: loader(
        Subset(data, range(4)), batch_size=4, num_workers=workers, in_place=False
    ),
    "own function": lambda data, workers: loader(data, batch_size=4, num_workers=workers, collate_fn=own),
    "keys": lambda data, workers: loader(
        data, batch_size=4, num_workers=workers, collate_fn=default_collate, keys=True
    ),
    "DataLoader": lambda data, workers: DataLoader(data, batch_size=4, num_workers=workers),
    "DataLoader of parts": lambda data, workers: DataLoader(
        ConcatDataset([data]), batch_size=4, num_workers=workers
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("as_tensors", [False, True])
@pytest.mark.parametrize("form", LOADERS)
def test_same_for_any_workers(kind, as_tensors, form):
    runs = [
        next(iter(LOADERS[form](AugmentedDataset(Mixed(kind, as_tensors), seed=1), workers)))["x"]
        for workers in (0, 2)
    ]
    widest = np.result_type(*KINDS[kind]) if kind != "integers first" else np.float32  # torch's rule
    assert [run.numpy().dtype for run in runs] == [widest] * 2
    assert runs[0].numpy().tobytes() == runs[1].numpy().tobytes()
    assert runs[0][3].tolist() == [float(np.dtype(widest).type(KINDS[kind][1](3.1)))] * 3


def bridged(workers):
    dataset = AugmentedDataset(Mixed("float32 first", True), seed=1, bridge=True)
    return loader(dataset, batch_size=4, num_workers=workers, in_place=False)


def test_bridged():
    assert [next(iter(bridged(workers)))["x"].dtype for workers in (0, 2)] == [torch.float64] * 2


def test_torchs_table_stays_in_this_process():
    before = dict(default_collate_fn_map)
    next(iter(loader(AugmentedDataset(Mixed("float32 first", True), seed=1), batch_size=4)))
    assert before == default_collate_fn_map


def test_a_users_entry_of_the_table_stays(monkeypatch):
    monkeypatch.setitem(default_collate_fn_map, torch.Tensor, lambda parts, *, collate_fn_map: len(parts))
    batches = loader(AugmentedDataset(Mixed("float32 first", True), seed=1), batch_size=4, num_workers=1)
    assert [batch["x"] for batch in batches] == [4]


def test_a_stream():
    records = [np.full(3, 0.1, KINDS["float32 first"][number % 2]) for number in range(4)]
    runs = [
        next(
            iter(
                loader(
                    AugmentedIterable(records, Compose([]), seed=1, id=None, split=True),
                    batch_size=4,
                    num_workers=workers,
                )
            )
        )
        for workers in (0, 1)
    ]
    assert [run.dtype for run in runs] == [torch.float64] * 2
    assert torch.equal(*runs)
