import numpy as np
from torch.utils.data import Dataset
class A(Dataset):
    def __init__(self, args):
        self.args = args
        self.seed = args.seed
    def _rng(self):
        return np.random.RandomState(self.seed)  # expect: SSF004
    def __getitem__(self, i):
        r = self._rng()
        g = np.random.default_rng(self.args.seed)  # expect: SSF004
        h = np.random.default_rng(seed=self.seed + i)
        k = np.random.default_rng([self.seed, i])
        return r.rand() + g.random() + h.random() + k.random()
class B(Dataset):
    def __init__(self, items):
        self.items = items
        self.seed = 7
        self.epoch = 0
    def set_epoch(self, e):
        self.seed = 7 + e
    def __getitem__(self, i):
        return np.random.default_rng(self.seed).random()
