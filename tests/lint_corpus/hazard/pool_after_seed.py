import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool

import numpy as np

np.random.seed(0)


def simulate(task):
    return np.random.rand() + task  # expect: SSF001


def shuffled(task):
    random.shuffle(task)
    return task


if __name__ == "__main__":
    with Pool(4) as pool:
        print(pool.map(simulate, range(8)))
        print(list(pool.imap_unordered(shuffled, [[1, 2], [3, 4]])))
    with ProcessPoolExecutor() as executor:
        print(executor.submit(simulate, 1))
