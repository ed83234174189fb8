import numpy as np
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, seed):
        self.seed = seed

    def init(self, worker_id):
        np.random.seed(self.seed)  # expect: SSF007

    def loader(self, dataset):
        return DataLoader(dataset, worker_init_fn=self.init)
