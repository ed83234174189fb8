import numpy as np


def rotate(image, level):
    return np.rot90(image, np.random.randint(level))  # expect: SSF001


def brighten(image, level):
    return image * np.random.uniform(1, level)  # expect: SSF001


def show(image):
    print(image + np.random.rand())
