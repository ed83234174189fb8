import numpy as np
from pipelines import MappingDataProcessor


class Blank(MappingDataProcessor):
    def apply(self, sample):
        if np.random.rand() < 0.1:  # expect: SSF001
            return sample.blank()
        return sample
