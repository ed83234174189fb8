from torch.utils.data import Dataset

import numpy as np
from fairseq.data import data_utils


class Crops(Dataset):
    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        with data_utils.numpy_seed(self.seed, self.epoch, index):
            return self.items[index][np.random.randint(8) :]
