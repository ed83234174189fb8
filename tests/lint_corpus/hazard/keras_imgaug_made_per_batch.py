import imgaug.augmenters as iaa
import numpy as np
from tensorflow.keras.utils import Sequence


class Batches(Sequence):
    def __getitem__(self, index):
        return self.__data_generation(index)

    def __data_generation(self, index):
        flips = iaa.Sequential([iaa.OneOf([iaa.Fliplr(0.5), iaa.Flipud(0.5)])])
        images = flips.augment_images(np.zeros((2, 8, 8, 3), np.uint8))  # expect: SSF003
        strong = iaa.RandAugment(n=3, m=np.random.poisson(12))  # expect: SSF001
        return strong(images=images)  # expect: SSF003
