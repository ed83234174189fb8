import dask
import numpy as np
from joblib import Parallel, delayed


def bootstrap(data):
    return data[np.random.randint(0, len(data), len(data))].mean()  # expect: SSF001


def simulate(n):
    return np.random.normal(size=n).sum()  # expect: SSF001


def main(data):
    results = Parallel(n_jobs=4)(delayed(bootstrap)(data) for _ in range(100))
    return results, dask.compute(*[dask.delayed(simulate)(10) for _ in range(4)])
