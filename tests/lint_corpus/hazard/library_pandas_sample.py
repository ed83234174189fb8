import numpy as np
from torch.utils.data import Dataset


import pandas as pd


class Rows(Dataset):
    def __init__(self, file):
        self.frame = pd.read_csv(file)

    def __getitem__(self, index):
        return self.frame[self.frame.label == index].sample(n=1)  # expect: SSF001
