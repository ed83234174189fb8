import numpy as np
from torch.utils.data import Dataset


class Orders(Dataset):
    def __init__(self):
        self.orders = np.zeros((4, 8))

    def __getitem__(self, key):
        order = self.orders[key]
        np.random.default_rng(key).shuffle(order)
        order[0] = 1  # expect: SSF015
        return order
