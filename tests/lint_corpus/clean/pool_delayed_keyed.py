import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state


def bootstrap(data, seed):
    rng = np.random.default_rng(seed)
    return data[rng.integers(0, len(data), len(data))].mean()


def fitted(data, random_state=None):
    rng = check_random_state(random_state)
    return data[rng.randint(0, len(data), len(data))].mean()


def simulate(task):
    np.random.seed(task)
    return np.random.rand()


def main(data):
    seeds = np.random.SeedSequence(0).spawn(100)
    first = Parallel(n_jobs=4)(delayed(bootstrap)(data, seed) for seed in seeds)
    second = Parallel(n_jobs=4)(delayed(fitted)(data, random_state=i) for i in range(9))
    return first, second, Parallel(n_jobs=2)(delayed(simulate)(i) for i in range(9))
