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


def never(x):
    return x + np.random.rand()


BY_NAME = {"noise": noise, "flip": flip}
IN_ORDER = [shift]
BY_WORD = dict(crop=crop)
FILLED = {}
FILLED["warp"] = warp


class Images(Dataset):
    def __init__(self, op):
        self.op = op
        self.own = {}
        self.own["blur"] = blur

    def __len__(self):
        return 3

    def __getitem__(self, i):
        x = BY_NAME.get(self.op)(i)
        x = IN_ORDER[0](x)
        x = BY_WORD[self.op](x)
        x = FILLED[self.op](x)
        for _, function in self.own.items():
            x = function(x)
        return x
