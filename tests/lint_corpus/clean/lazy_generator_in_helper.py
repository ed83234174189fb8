import numpy as np
from torch.utils.data import Dataset


import torch


class Images(Dataset):
    def __init__(self):
        self._rng = None

    def _ready(self):
        if self._rng is None:
            info = torch.utils.data.get_worker_info()
            self._rng = np.random.default_rng(info.seed)

    def __getitem__(self, index):
        self._ready()
        return self._rng.random()
