import numpy as np


class RandomGaussian:
    def __call__(self, x, length):
        return np.random.randn(length)
