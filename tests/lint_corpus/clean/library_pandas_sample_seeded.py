import numpy as np
from torch.utils.data import Dataset


import pandas as pd


class Rows(Dataset):
    def __init__(self, file):
        self.frame = pd.read_csv(file).sample(frac=1)

    def __getitem__(self, index):
        return self.frame.sample(n=1, random_state=index)
