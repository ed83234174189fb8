import numpy as np
from mmcv.transforms import BaseTransform


class RandomScale(BaseTransform):
    def transform(self, results):
        results["scale"] = np.random.uniform(0.5, 2.0)  # expect: SSF001
        return results
