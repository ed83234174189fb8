import numpy as np


class Forest:
    def __init__(self, trees):
        self.trees = trees

    def __getitem__(self, index):
        return self.trees[index]

    def fit(self, x):
        self.rows = np.random.choice(len(x), len(x))
