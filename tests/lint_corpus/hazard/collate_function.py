import numpy as np
from torch.utils.data import DataLoader


def mix(batch):
    return batch[np.random.randint(len(batch))]  # expect: SSF001


def loader(dataset):
    return DataLoader(dataset, collate_fn=mix, num_workers=2)
