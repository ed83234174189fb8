import random

import numpy as np
import PIL.ImageEnhance
import PIL.ImageOps


def shear(image, level):
    level = -level if np.random.rand() > 0.5 else level  # expect: SSF001
    return image.transform(image.size, 0, (1, level, 0, 0, 1, 0))


def contrast(image, level):
    return PIL.ImageEnhance.Contrast(image).enhance(level)


def cutout(image, level):
    x = np.random.uniform(image.size[0])  # expect: SSF001
    return image.crop((x, 0, x + level, level))


def solarize(image, level):
    return PIL.ImageOps.solarize(image, level)


def posterize(image, level):
    return PIL.ImageOps.posterize(image, int(level))


def operations():
    return [
        (contrast, 0.05, 0.95),
        (posterize, 4, 8),
        (solarize, 0, 256),
        (shear, 0.0, 0.3),
        (shear, 0.1, 0.4),
        (contrast, 0.1, 1.9),
        (solarize, 0, 110),
        (posterize, 1, 7),
        (contrast, 0.2, 1.8),
        (cutout, 0, 0.2),
    ]


class RandAugment:
    def __init__(self, n, m):
        self.n, self.m = n, m
        self.operations = operations()

    def __call__(self, img):
        for op, low, high in random.choices(self.operations, k=self.n):
            img = op(img, low + (high - low) * self.m / 30)
        return img
