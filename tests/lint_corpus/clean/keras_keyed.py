import numpy as np
from tensorflow.keras.utils import Sequence


class Batches(Sequence):
    def __getitem__(self, index):
        rng = np.random.default_rng((5, index))
        return rng.normal(size=(8, 3))
