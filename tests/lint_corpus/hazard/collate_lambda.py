import numpy as np
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, collate_fn=lambda batch: batch[: np.random.randint(9)])  # expect: SSF001
