import numpy as np
import torch


class AddNoise:
    def __call__(self, image):
        return image + np.random.normal(size=image.shape)  # expect: SSF001 (note)


class RandomGain:
    def __call__(self, image):
        return image * np.random.rand()  # expect: SSF001


def to_tensor(image):
    return torch.from_numpy(image)
