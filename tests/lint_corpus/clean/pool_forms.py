"""Tasks of processes that are keyed or draw nothing, and tasks of threads."""
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pool

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

np.random.seed(0)


def bootstrap(data, seed):
    rng = np.random.default_rng(seed)
    return data[rng.integers(0, len(data), len(data))].mean()


def fitted(data, random_state=None):
    rng = check_random_state(random_state)
    return data[rng.randint(0, len(data), len(data))].mean()


def seeded(task):
    np.random.seed(task)
    return np.random.rand()


def keyed(task):
    rng = np.random.default_rng((0, task))
    return rng.random() + task


def counted(task):
    return task + 1


def in_a_thread(task):
    return np.random.rand() + task


def main(data):
    seeds = np.random.SeedSequence(0).spawn(100)
    results = Parallel(n_jobs=4)(delayed(bootstrap)(data, seed) for seed in seeds)
    results += Parallel(n_jobs=4)(delayed(fitted)(data, random_state=i) for i in range(9))
    results += Parallel(n_jobs=2)(delayed(seeded)(i) for i in range(9))
    with ThreadPoolExecutor(4) as executor:
        return results, list(executor.map(in_a_thread, range(8)))


if __name__ == "__main__":
    print(np.random.rand(), map(counted, [1]))
    with Pool(4) as pool:
        print(pool.map(keyed, range(8)), pool.map(counted, range(8)))
