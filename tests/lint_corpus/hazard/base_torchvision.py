import numpy as np
from torchvision import datasets


class Noisy(datasets.CIFAR10):
    def __getitem__(self, index):
        image, label = super().__getitem__(index)
        return image + np.random.randn(3), label  # expect: SSF001
