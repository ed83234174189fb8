import numpy as np

from library.transforms import BasicTransform


class Invert(BasicTransform):
    def get_parameters(self, **data):
        return {"invert": np.random.rand() < 0.5}  # expect: SSF001
