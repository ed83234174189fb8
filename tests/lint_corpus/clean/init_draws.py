"""What is drawn once, where the dataset is made or between epochs, and what no loader calls."""
import numpy as np
from sklearn.model_selection import train_test_split
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, values, files, n, seed):
        rng = np.random.default_rng(seed)
        np.random.seed(0)
        np.random.shuffle(files)
        self.values = values
        self.order = np.random.permutation(n)
        self.noise = rng.normal(size=n)
        self.rng = np.random.default_rng(seed)
        self.kept = self.rng.permutation(10)
        self.offsets = [np.random.randint(4) for _ in range(n)]
        self.table = self._make()
        self.train, self.test = train_test_split(files)

    @classmethod
    def random(cls, n):
        return cls(np.random.rand(n))

    def _make(self):
        return np.random.rand(10)

    def set_epoch(self, epoch):
        self.order = np.random.default_rng(epoch).permutation(len(self.order))

    def __getitem__(self, index):
        drawn = self.order[index], self.noise[index], self.kept[index], self.offsets[index], self.table[index]
        return self.values[index], drawn, self.train[index]

    def resample(self):
        return np.random.permutation(10)

    def show(self, n=4):
        return [self[i] for i in np.random.randint(0, 10, n)]
