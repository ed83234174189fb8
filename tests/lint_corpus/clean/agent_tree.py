import numpy as np


class Prior:
    def __init__(self, tables):
        self.tables = tables

    def __len__(self):
        return len(self.tables)

    def __getitem__(self, key):
        return np.random.choice(self.tables[key])
