import numpy as np
from torch.utils.data import DataLoader


def stack(batch):
    return np.stack(batch)


def loader(dataset):
    return DataLoader(dataset, collate_fn=stack, num_workers=2)
