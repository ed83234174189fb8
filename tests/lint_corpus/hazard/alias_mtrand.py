from numpy.random import mtrand
from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        return mtrand.rand()  # expect: SSF001
