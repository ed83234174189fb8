from multiprocessing import Pool

import numpy as np

np.random.seed(0)


def simulate(task):
    rng = np.random.default_rng((0, task))
    return rng.random() + task


def counted(task):
    return task + 1


if __name__ == "__main__":
    print(np.random.rand(), map(counted, [1]))
    with Pool(4) as pool:
        print(pool.map(simulate, range(8)), pool.map(counted, range(8)))
