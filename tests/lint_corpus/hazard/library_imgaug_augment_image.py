import numpy as np
from torch.utils.data import Dataset


from imgaug import augmenters as iaa

blur = iaa.GaussianBlur((0, 3.0))


class Images(Dataset):
    def __getitem__(self, index):
        return blur.augment_image(np.zeros((8, 8, 3), np.uint8))  # expect: SSF003
