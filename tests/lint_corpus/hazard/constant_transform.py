import numpy as np


class RandomMask:
    def __call__(self, image):
        np.random.seed(42)  # expect: SSF004
        return image * (np.random.rand(*image.shape) > 0.5)
