import numpy as np
from torch.utils.data import Dataset


from fairseq.data import data_utils


class Texts(Dataset):
    def __getitem__(self, index):
        with data_utils.numpy_seed(1, index):
            return np.random.randint(9)
