import contextlib

import numpy as np


@contextlib.contextmanager
def numpy_seed(seed, *more):
    if seed is None:
        yield
        return
    if more:
        seed = int(hash((seed, *more)) % 1e6)
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


def spans(length, prob):
    count = int(length * prob + np.random.rand())  # expect: SSF001
    return np.random.choice(length, count)  # expect: SSF001


def order(n, seed):
    with numpy_seed(seed):
        return np.random.permutation(n)
