import numpy as np
import torch


class OrnsteinUhlenbeckProcess:
    def __call__(self, x):
        return torch.as_tensor(np.random.normal(size=len(x)))
