import numpy as np
from torch.utils.data import Dataset


import torch
from torch.utils.data import DataLoader


class Images(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


loader = DataLoader(Images(), num_workers=2, worker_init_fn=seed_worker)
