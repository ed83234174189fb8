"""Names like those of generators, for things that are none."""
import numpy as np
from torch.utils.data import Dataset


class Ring:
    def choice(self, n):
        return n % 3


class FakeNumpy:
    class random:
        @staticmethod
        def rand():
            return 0.5


class Images(Dataset):
    kinds = {"uniform": np.random.uniform}

    def __init__(self, random, generator, random_state=0):
        self.ring = Ring()
        self.random = random
        self.random_state = random_state
        self.generator = generator

    def __getitem__(self, index):
        state = np.random.get_state()
        parts = index if self.random else -index, index + self.random_state, len(self.kinds), state[0]
        return parts, self.ring.choice(index), next(self.generator), list(self.generator)


class Shadowed(Dataset):
    def __getitem__(self, index):
        np = FakeNumpy()
        return np.random.rand()
