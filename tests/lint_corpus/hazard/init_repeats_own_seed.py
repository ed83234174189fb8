import random

import numpy as np
import torch
from torch.utils.data import DataLoader


class Data:
    def __init__(self, seed):
        self.seed = seed

    def start(self, worker_id):
        np.random.seed(self.seed + worker_id)  # expect: SSF006
        random.seed(self.seed + worker_id)  # expect: SSF006
        torch.manual_seed(self.seed + worker_id)  # expect: SSF006

    def loaders(self, dataset):
        first = DataLoader(dataset, worker_init_fn=self.start)
        return first, DataLoader(dataset, worker_init_fn=lambda w: np.random.seed(self.seed + w))  # expect: SSF006
