import torch
from sklearn.utils import check_random_state
from torch import nn


class Transform(nn.Module):
    def __init__(self, probability=1.0, random_state=None):
        super().__init__()
        self.probability = probability
        self.rng = check_random_state(random_state)

    def parameters_of(self, x):
        return {}

    def forward(self, x, y=None):
        if self.rng.uniform() < self.probability:  # expect: SSF002
            return self.operation(x, y, **self.parameters_of(x))
        return x, y


class Shift(Transform):
    def parameters_of(self, x):
        return {"by": self.rng.randint(-5, 6)}  # expect: SSF002

    @staticmethod
    def operation(x, y, by):
        return torch.roll(x, by), y
