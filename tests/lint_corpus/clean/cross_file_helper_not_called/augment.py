import numpy as np


def jitter(value):
    return value + np.random.rand()


def double(value):
    return value * 2
