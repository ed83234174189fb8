import numpy as np
from PIL import ImageOps


class StreetPolicy:
    def __call__(self, img):
        return ImageOps.invert(img) if np.random.rand() < 0.5 else img  # expect: SSF001
