import cv2
import numpy as np


class AddNoise:
    def __call__(self, img):
        noise = np.zeros_like(img)
        cv2.randu(noise, 0, 20)  # expect: SSF003
        return cv2.add(img, noise)
