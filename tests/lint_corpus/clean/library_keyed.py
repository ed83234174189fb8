"""Other libraries' functions with a seed of the index, and ones that draw nothing."""
import albumentations as A
import numpy as np
import pandas as pd
from scipy import stats
from skimage.util import random_noise
from sklearn.utils import shuffle
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, file):
        self.frame = pd.read_csv(file).sample(frac=1)
        self.transform = A.Compose([A.HorizontalFlip(p=0.5)])

    def __getitem__(self, index):
        return [
            self.transform(image=index),
            self.frame.sample(n=1, random_state=index),
            stats.norm.pdf(index),
            stats.norm.rvs(size=3, random_state=index),
            random_noise(np.zeros((8, 8)), rng=index),
            shuffle([1, 2, 3], random_state=index),
        ]
