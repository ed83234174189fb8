import numpy as np


class RandomShift:
    def __init__(self, most):
        self.most = most

    def __call__(self, image):
        return np.roll(image, np.random.randint(self.most))  # expect: SSF001
