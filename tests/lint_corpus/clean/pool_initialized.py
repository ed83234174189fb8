import os
from multiprocessing import Pool

import numpy as np


def start():
    np.random.seed(os.getpid())


def simulate(task):
    return np.random.rand() + task


if __name__ == "__main__":
    with Pool(4, initializer=start) as pool:
        print(pool.map(simulate, range(8)))
