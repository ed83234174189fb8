import random

import torch
from torch.utils.data import IterableDataset, get_worker_info


class Records(IterableDataset):
    def __init__(self, files, seed=0):
        self.files, self.seed = files, seed

    def __iter__(self):
        info = get_worker_info()
        files = self.files if info is None else self.files[info.id :: info.num_workers]
        rng = random.Random(0)  # expect: SSF004
        rng.shuffle(files)
        for f in files:
            for line in open(f):
                if rng.random() < 0.5:
                    yield line
