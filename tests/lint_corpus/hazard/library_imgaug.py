import numpy as np
from torch.utils.data import Dataset


import imgaug.augmenters as iaa


class Images(Dataset):
    def __init__(self):
        self.augment = iaa.Sequential([iaa.Fliplr(0.5)])

    def __getitem__(self, index):
        return self.augment(image=np.zeros((8, 8, 3), np.uint8))  # expect: SSF003
