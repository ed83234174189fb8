from multiprocessing import Pool

import numpy as np
from lib.sampling import keyed_subset, subset


def first(task):
    return subset(range(10), task)


def second(task):
    return keyed_subset(range(10), 3, (0, task))


def main():
    np.random.seed(0)
    print(subset(range(10), 2))
    with Pool(2) as pool:
        print(pool.map(first, [1, 2]))
        print(pool.map(second, [1, 2]))
