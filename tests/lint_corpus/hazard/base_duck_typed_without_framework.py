import numpy as np


class Shapes:
    def __init__(self, shapes):
        self.shapes = shapes

    def __len__(self):
        return len(self.shapes)

    def __getitem__(self, i):
        return self.shapes[i] + np.random.normal(size=3)  # expect: SSF001
