import grain.python as grain
import numpy as np


class Crop(grain.RandomMapTransform):
    def random_map(self, element, rng: np.random.Generator):
        start = rng.integers(4)
        return element[start : start + rng.integers(8, 16)]


def shifted(element, rng):
    return element + rng.normal()


def pipeline(source):
    return grain.MapDataset.source(source).seed(0).random_map(shifted).random_map(Crop())
