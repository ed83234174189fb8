import cv2
import numpy as np


class BlurMixin:
    def __call__(self, dictionary):
        size = np.random.randint(3, 7)  # expect: SSF001
        dictionary["image"] = cv2.blur(dictionary["image"], (size, size))
        return dictionary
