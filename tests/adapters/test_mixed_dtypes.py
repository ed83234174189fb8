"""Samples of several dtypes: the batch has one dtype and the same bytes for any workers."""

import numpy as np
import pytest
import torch

from seedsafe_torch import AugmentedDataset, loader

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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("as_tensors", [False, True])
def test_same_for_any_workers(kind, as_tensors):
    runs = [
        next(
            iter(loader(AugmentedDataset(Mixed(kind, as_tensors), seed=1), batch_size=4, num_workers=workers))
        )["x"]
        for workers in (0, 2)
    ]
    widest = np.result_type(*KINDS[kind]) if kind != "integers first" else np.float32  # torch's rule
    assert [run.numpy().dtype for run in runs] == [widest] * 2
    assert runs[0].numpy().tobytes() == runs[1].numpy().tobytes()
    assert runs[0][3].tolist() == [float(np.dtype(widest).type(KINDS[kind][1](3.1)))] * 3
