import random

import numpy as np
from data import Images


def show(images, n):
    dataset = Images(images, 1)
    for index in random.sample(range(len(dataset)), n):
        print(dataset[0, index], np.random.rand())
