import numpy as np


class PhotoMetricDistortion:
    def __call__(self, results):
        results["img"] = self.brightness(results["img"])
        return results

    def brightness(self, img):
        return img + np.random.uniform(-32, 32)  # expect: SSF001
