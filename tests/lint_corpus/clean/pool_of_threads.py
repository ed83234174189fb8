from concurrent.futures import ThreadPoolExecutor

import numpy as np


def simulate(task):
    return np.random.rand() + task


def main():
    with ThreadPoolExecutor(4) as executor:
        return list(executor.map(simulate, range(8)))
