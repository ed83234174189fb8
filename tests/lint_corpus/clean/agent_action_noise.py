import numpy as np


class GaussianActionNoise:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, action, step):
        return action + self.scale / step * np.random.randn(*action.shape)
