import numpy as np

from .data import Images


def add_noise(image):
    return image + np.random.normal()  # expect: SSF001


def images():
    return Images()
