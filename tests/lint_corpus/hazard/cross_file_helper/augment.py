import numpy as np


def jitter(value):
    return value + np.random.rand()  # expect: SSF001
