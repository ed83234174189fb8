import numpy as np
from torch.utils.data import Dataset


from sklearn.utils import shuffle


class Images(Dataset):
    def __getitem__(self, index):
        return shuffle([1, 2, 3])  # expect: SSF001
