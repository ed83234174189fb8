import numpy as np
import torch


class RegistrationTransform:
    def __call__(self, template):
        angle = np.random.uniform() * 45  # expect: SSF001
        return torch.cos(torch.tensor(angle)) * template
