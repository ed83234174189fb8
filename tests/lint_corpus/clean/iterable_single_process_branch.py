import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            rng = np.random.default_rng(0)
        else:
            rng = np.random.default_rng((self.seed, info.id))
        while True:
            yield rng.random()
