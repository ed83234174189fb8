import numpy as np


def generator(seed, epoch, index):
    return np.random.default_rng((seed, epoch, index))
