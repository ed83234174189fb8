import numpy as np
import torch


class Identities(torch.utils.data.sampler.BatchSampler):
    def __iter__(self):
        for _ in range(10):
            yield list(np.random.choice(100, 8, replace=False))
