import numpy as np
from clips.registry import PIPELINES


@PIPELINES.register()
class FrameDecoder:
    def __init__(self, count):
        self.count = count

    def __call__(self, results):
        first = np.random.randint(results["length"] - self.count)  # expect: SSF001
        return results["frames"][first : first + self.count]
