import numpy as np

from . import utils
from .base import BaseSet


class MaskedSet(BaseSet):
    def noise(self, index):
        with utils.numpy_seed(self.seed, self.epoch, index, 1):
            return np.random.normal()

    def __getitem__(self, index):
        item = super().__getitem__(index)
        with utils.numpy_seed(self.seed, self.epoch, index):
            keep = np.random.rand(len(item)) > 0.1
            item = item[keep] + self.noise(index)
            flip = np.random.rand() > 0.5
            masked = utils.spans(len(item), 0.2)
        if np.random.rand() > 0.5:  # expect: SSF001
            item = item[::-1]
        return item, flip, masked
