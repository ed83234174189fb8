import numpy as np


class SpecAugment:
    def __call__(self, feature, length):
        start = np.random.randint(length)  # expect: SSF001
        feature[start : start + 10] = 0
        return feature
