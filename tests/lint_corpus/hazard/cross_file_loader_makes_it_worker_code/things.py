import numpy as np


class Things:
    def __getitem__(self, position):
        return np.random.rand()  # expect: SSF001
