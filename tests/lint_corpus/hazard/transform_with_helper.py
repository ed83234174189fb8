import numpy as np


class ColorJitter:
    @staticmethod
    def get_params(most):
        return np.random.uniform(-most, most)  # expect: SSF001

    def __call__(self, img):
        return img + self.get_params(0.2)
