from numpy.random import randint as ri
from torch.utils.data import Dataset


class Shifts(Dataset):
    def __getitem__(self, index):
        return index + ri(5)  # expect: SSF001
