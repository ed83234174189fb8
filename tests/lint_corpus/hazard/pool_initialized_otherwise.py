from concurrent.futures import ProcessPoolExecutor

import numpy as np

TABLE = None


def start(file):
    global TABLE
    TABLE = np.load(file)


def simulate(task):
    return TABLE[task] + np.random.rand()  # expect: SSF001


if __name__ == "__main__":
    with ProcessPoolExecutor(4, initializer=start, initargs=("table.npy",)) as executor:
        print(list(executor.map(simulate, range(8))))
