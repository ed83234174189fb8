import numpy as np


class FaceDataset:
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
