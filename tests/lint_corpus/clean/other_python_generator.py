import numpy as np
from torch.utils.data import Dataset


class Wrapped(Dataset):
    def __init__(self, generator):
        self.generator = generator

    def __getitem__(self, index):
        return next(self.generator), list(self.generator)
