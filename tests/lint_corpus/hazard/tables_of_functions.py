"""Functions and methods that a read takes out of tables of every form; what no table has is not told."""
import random

import numpy as np
from torch.utils.data import Dataset


def noise(x):
    return x + np.random.rand()  # expect: SSF001


def flip(x):
    return x[::-1] if np.random.rand() > 0.5 else x  # expect: SSF001


def shift(x):
    return x + np.random.rand()  # expect: SSF001


def crop(x):
    return x[np.random.randint(3) :]  # expect: SSF001


def warp(x):
    return x + np.random.rand()  # expect: SSF001


def blur(x):
    return x + np.random.rand()  # expect: SSF001


def chosen(x):
    return x + np.random.rand()  # expect: SSF001


def scaled(x, level):
    return x + np.random.rand() * level  # expect: SSF001


def rolled(x, level):
    return np.roll(x, np.random.randint(level))  # expect: SSF001


def stretched(x, level):
    return x + np.random.rand() * level  # expect: SSF001


def never(x):
    return x + np.random.rand()


BY_NAME = {"noise": noise, "flip": flip}
IN_ORDER = [shift]
BY_WORD = dict(crop=crop)
FILLED = {}
FILLED["warp"] = warp
WITH_LEVELS = {"scaled": (scaled, 0, 1)}


class Policy:
    table = {"rolled": (rolled, [1, 2, 3])}

    def __init__(self, names):
        self.ops = [self.table[name] for name in names]

    def apply(self, x):
        function, levels = self.ops[0]
        return function(x, levels[2])


class Images(Dataset):
    def __init__(self, op):
        self.op = op
        self.own = {}
        self.own["blur"] = blur
        self.methods = {"one": (self.one, 0.5)}
        self.chosen = [chosen]
        self.sampled = [(stretched, 0, 30)]
        self.policy = Policy(["rolled"])

    def __len__(self):
        return 3

    def one(self, x):
        return x + np.random.rand()  # expect: SSF001

    def __getitem__(self, index):
        x = BY_NAME.get(self.op)(index)
        x = IN_ORDER[0](x)
        x = BY_WORD[self.op](x)
        x = FILLED[self.op](x)
        for _, function in self.own.items():
            x = function(x)
        for _, (function, p) in self.methods.items():
            x = function(x)
        function, low, high = WITH_LEVELS[random.choice(list(WITH_LEVELS))]
        x = random.choice(self.chosen)(function(x, low))
        for function, low, high in random.sample(self.sampled, 1):
            x = function(x, low)
        return self.policy.apply(x)
