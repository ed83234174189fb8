import numpy as np


def bootstrap(values, seed=0):
    rng = np.random.default_rng(seed)
    return [values[i] for i in rng.integers(len(values), size=len(values))]
