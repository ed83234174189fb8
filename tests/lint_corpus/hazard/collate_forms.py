"""Functions that a loader collates with."""
import functools

import numpy as np
from torch.utils.data import DataLoader, Dataset


def mix(batch):
    return batch[np.random.randint(len(batch))]  # expect: SSF001


def pad(batch, most):
    return batch[: np.random.randint(most)]  # expect: SSF001


def loaders(dataset):
    yield DataLoader(dataset, collate_fn=mix, num_workers=2)
    yield DataLoader(dataset, collate_fn=functools.partial(pad, most=8))
    yield DataLoader(dataset, collate_fn=lambda batch: batch[: np.random.randint(9)])  # expect: SSF001


class Texts(Dataset):
    def __getitem__(self, index):
        return index

    def collate_fn(self, batch):
        return np.random.permutation(batch)  # expect: SSF001
