import imgaug.augmenters as iaa
from typing import Optional
from mmcv.transforms import BaseTransform


class Augment(BaseTransform):
    def __init__(self, steps: Optional[list] = None):
        self.augmenter = self.build(steps)

    def build(self, steps):
        if steps is None:
            return None
        return iaa.Sequential([getattr(iaa, name)() for name in steps])

    def transform(self, results):
        if self.augmenter:
            results["img"] = self.augmenter.augment_image(results["img"])  # expect: SSF003
        return results
