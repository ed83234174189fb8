import numpy as np


def swap(pair):
    return pair[:: np.random.choice([1, -1])]  # expect: SSF001
