import numpy as np
from torch.utils.data import Dataset


from sklearn.model_selection import train_test_split


class Images(Dataset):
    def __init__(self, files):
        self.train, self.test = train_test_split(files)

    def __getitem__(self, index):
        return self.train[index]
