import numpy as np


def subset(items, n):
    return [items[i] for i in np.random.choice(len(items), n)]  # expect: SSF001


def keyed_subset(items, n, key):
    return [items[i] for i in np.random.default_rng(key).choice(len(items), n)]
