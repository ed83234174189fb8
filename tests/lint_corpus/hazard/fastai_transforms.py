import numpy as np
from fastai.vision.all import *


class Noise(Transform):
    def encodes(self, image: PILImage):
        return PILImage.create(np.array(image) + np.random.normal(0, 5, image.shape))  # expect: SSF001


class Cutout(RandTransform):
    def before_call(self, b, split_idx):
        self.top = np.random.randint(0, 32)  # expect: SSF001

    def encodes(self, image: PILImage):
        return image.crop((self.top, 0, 64, 64))


def scaled(image):
    return image * np.random.uniform(0.9, 1.1)  # expect: SSF001


block = DataBlock(blocks=(ImageBlock, CategoryBlock), item_tfms=[scaled, Noise()])
