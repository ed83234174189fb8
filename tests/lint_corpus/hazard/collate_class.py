import numpy as np


class MaskCollator:
    def __init__(self, ratio):
        self.ratio = ratio

    def __call__(self, batch):
        return np.random.rand(len(batch)) < self.ratio  # expect: SSF001
