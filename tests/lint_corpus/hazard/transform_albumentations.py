import albumentations as A
import numpy as np


class Stripe(A.ImageOnlyTransform):
    def apply(self, img, **params):
        img[np.random.randint(img.shape[0])] = 0  # expect: SSF001
        return img
