import grain.python as grain
import numpy as np


class Jitter(grain.MapTransform):
    def map(self, element):
        return element + np.random.normal(size=element.shape)  # expect: SSF001


class Crop(grain.RandomMapTransform):
    def random_map(self, element, rng):
        return element[rng.integers(4) : np.random.randint(8, 16)]  # expect: SSF001


def scaled(element):
    return element * np.random.uniform(0.9, 1.1)  # expect: SSF001


def pipeline(source):
    return grain.MapDataset.source(source).shuffle(seed=0).map(scaled).map(Jitter()).to_iter_dataset()
