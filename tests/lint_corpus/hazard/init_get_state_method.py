import numpy as np
from torch.utils.data import DataLoader


class Module:
    @staticmethod
    def worker_init_fn(worker_id):
        np.random.seed(np.random.get_state()[1][0] + worker_id)  # expect: SSF005

    def loader(self, dataset):
        return DataLoader(dataset, worker_init_fn=self.worker_init_fn)
