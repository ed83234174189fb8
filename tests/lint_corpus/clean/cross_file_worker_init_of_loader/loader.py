import torch
from torch.utils.data import DataLoader, get_worker_info

class SeededLoader(DataLoader):
    def __init__(self, dataset, seed, **kw):
        super().__init__(dataset, worker_init_fn=self.init_worker, **kw)
    def init_worker(self, worker_id):
        get_worker_info().dataset.reseed(torch.initial_seed())
