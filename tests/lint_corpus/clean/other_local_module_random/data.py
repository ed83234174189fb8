import random_numbers
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return random_numbers.rand()
