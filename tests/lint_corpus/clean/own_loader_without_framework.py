import numpy as np


class DataLoader:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        np.random.shuffle(self.data)
        return self.data[0]
