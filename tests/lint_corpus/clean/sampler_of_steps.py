import numpy as np
import torch


class UniformTimeStepSampler:
    def __call__(self, batch_size):
        return torch.from_numpy(np.random.choice(1000, size=(batch_size,)))
