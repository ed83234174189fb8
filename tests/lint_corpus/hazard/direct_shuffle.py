import numpy as np
from torch.utils.data import Dataset


class Orders(Dataset):
    def __getitem__(self, index):
        order = list(range(8))
        np.random.shuffle(order)  # expect: SSF001
        return order
