import numpy as np
from torch.utils.data import Dataset


def noise(x, scale):
    return x + np.random.normal(0, scale)  # expect: SSF001


def shift(x, scale):
    return np.roll(x, np.random.randint(scale))  # expect: SSF001


def unused(x, scale):
    return x + np.random.rand()


class Policy:
    table = {"noise": (noise, np.linspace(0, 1, 10)), "shift": (shift, [1, 2, 3])}

    def __init__(self, names):
        self.ops = [self.table[name] for name in names]

    def apply(self, x):
        function, levels = self.ops[0]
        return function(x, levels[2])


class Signals(Dataset):
    def __init__(self, x):
        self.x = x
        self.policy = Policy(["noise"])

    def __getitem__(self, index):
        return self.policy.apply(self.x[index])
