import numpy as np
from torch.utils.data import Dataset


def jitter(value, rng=np.random.default_rng(5)):
    return value + rng.normal()  # expect: SSF002


class Signals(Dataset):
    def __getitem__(self, index):
        return jitter(index)
