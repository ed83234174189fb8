import numpy as np


class Mirror:
    def __call__(self, pair):
        return pair[::-1] if np.random.rand() < 0.5 else pair  # expect: SSF001
