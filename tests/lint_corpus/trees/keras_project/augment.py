import cv2
import numpy as np

RNG = np.random.default_rng(7)


def brightness(image):
    return image * RNG.uniform(0.8, 1.2)  # expect: SSF002


def noise(image):
    out = np.zeros_like(image)
    cv2.randn(out, 0, 10)  # expect: SSF003
    return image + out


def montage(images):
    return images[RNG.integers(len(images))]


AUGMENTATIONS = {"brightness": brightness, "noise": noise}
