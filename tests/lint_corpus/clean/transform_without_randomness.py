import numpy as np


class Normalize:
    def __call__(self, image):
        return (image - np.mean(image)) / np.std(image)
