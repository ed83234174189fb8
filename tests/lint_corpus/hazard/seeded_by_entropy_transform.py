import random

import numpy as np


class RandomNoise:
    def __call__(self, image):
        np.random.seed(None)  # expect: SSF004
        random.seed()  # expect: SSF004
        return image + np.random.normal(0, 1, image.shape)  # expect: SSF001
