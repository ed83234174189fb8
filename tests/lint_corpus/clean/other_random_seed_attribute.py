import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, random_state=0):
        self.random_state = random_state

    def __getitem__(self, index):
        return index + self.random_state
