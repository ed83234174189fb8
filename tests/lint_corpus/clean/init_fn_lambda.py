import numpy as np
import torch
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(
        dataset, worker_init_fn=lambda _: np.random.seed(int(torch.initial_seed()) % (2**32 - 1))
    )
