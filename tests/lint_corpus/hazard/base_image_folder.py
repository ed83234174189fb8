import numpy as np
from torchvision.datasets import ImageFolder


class Noisy(ImageFolder):
    def __getitem__(self, index):
        return np.random.randint(10)  # expect: SSF001
