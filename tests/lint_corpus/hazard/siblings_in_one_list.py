import numpy as np


class RandomCrop:
    def __call__(self, sample):
        return sample[np.random.randint(8) :]  # expect: SSF001


class Wobble:
    def __call__(self, obj):
        return obj + np.random.normal()  # expect: SSF001


class Unlisted:
    def __call__(self, obj):
        return obj + np.random.normal()


def train_transforms():
    transforms = [RandomCrop(), Wobble()]
    return transforms
