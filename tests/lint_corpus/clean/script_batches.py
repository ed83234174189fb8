import numpy as np


def minibatches(x, y, size):
    order = np.random.permutation(len(x))
    for start in range(0, len(x), size):
        part = order[start : start + size]
        yield x[part], y[part]
