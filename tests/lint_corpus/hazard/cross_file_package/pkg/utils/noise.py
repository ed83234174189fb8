import numpy as np


def add_noise(value):
    return value + np.random.randn()  # expect: SSF001
