"""Generators that are made in the worker, when it first reads."""
import numpy as np
import torch
from torch.utils.data import Dataset


class Entropy(Dataset):
    def __init__(self):
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng()
        return self.rng.random()


class OfTorch(Dataset):
    def __init__(self):
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
        return self.rng.random()


class InHelper(Dataset):
    def __init__(self):
        self._rng = None

    def _ready(self):
        if self._rng is None:
            info = torch.utils.data.get_worker_info()
            self._rng = np.random.default_rng(info.seed)

    def __getitem__(self, index):
        self._ready()
        return self._rng.random()
