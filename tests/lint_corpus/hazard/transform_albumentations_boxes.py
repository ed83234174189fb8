import albumentations as A
import numpy as np


class JitterBoxes(A.DualTransform):
    def apply_to_bboxes(self, bboxes, **params):
        return [self._jitter(box) for box in bboxes]

    def _jitter(self, box):
        return box + np.random.rand(4)  # expect: SSF001
