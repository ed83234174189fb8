import numpy as np


class Crop:
    def __call__(self, image):
        return image[:8]

    def demo(self):
        return self(np.random.rand(16, 16))
