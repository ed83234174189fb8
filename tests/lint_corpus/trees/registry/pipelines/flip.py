import numpy as np
from registry import PIPELINES


@PIPELINES.register_module()
class RandomFlip:
    def __init__(self, ratio):
        self.ratio = ratio

    def __call__(self, results):
        results["flip"] = np.random.rand() < self.ratio  # expect: SSF001
        return results


@PIPELINES.register_module()
class Resize:
    def __init__(self, scales):
        self.scales = scales

    @staticmethod
    def chosen(scales):
        return scales[np.random.randint(len(scales))]  # expect: SSF001

    def __call__(self, results):
        results["scale"] = self.chosen(self.scales)
        return results
