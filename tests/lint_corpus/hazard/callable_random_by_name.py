import numpy as np


class RandomCropPair:
    def __init__(self, side):
        self.side = side

    def __call__(self, noisy, sharp):
        top = np.random.randint(noisy.shape[0] - self.side)  # expect: SSF001
        rows = slice(top, top + self.side)
        return noisy[rows], sharp[rows]
