import numpy as np


def crop(value):
    return value[np.random.randint(4) :]  # expect: SSF001
