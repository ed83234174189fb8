import numpy as np


class OUNoise:
    def __init__(self, size):
        self.state = np.zeros(size)

    def __call__(self):
        self.state = self.state + np.random.normal(size=self.state.shape)
        return self.state
