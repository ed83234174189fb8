"""Other libraries' draws from NumPy's global generator, or from one that torch does not seed."""
import cv2
import imgaug.augmenters as iaa
import numpy as np
import pandas as pd
from imgaug import augmenters
from scipy import stats
from scipy.stats import beta
from skimage.util import random_noise
from sklearn.utils import shuffle
from torch.utils.data import Dataset

blur = augmenters.GaussianBlur((0, 3.0))


class Images(Dataset):
    def __init__(self, file):
        self.augment = iaa.Sequential([iaa.Fliplr(0.5)])
        self.frame = pd.read_csv(file)

    def __getitem__(self, index):
        image = np.zeros((8, 8, 3), np.uint8)
        noise = np.zeros((8, 8), np.int16)
        cv2.randn(noise, 0, 5)  # expect: SSF003
        return [
            self.augment(image=image),  # expect: SSF003
            blur.augment_image(image),  # expect: SSF003
            self.frame[self.frame.label == index].sample(n=1),  # expect: SSF001
            stats.truncnorm(-1, 1).rvs(4),  # expect: SSF003
            beta.rvs(2, 2, size=3),  # expect: SSF003
            random_noise(noise),  # expect: SSF003
            shuffle([1, 2, 3]),  # expect: SSF001
        ]
