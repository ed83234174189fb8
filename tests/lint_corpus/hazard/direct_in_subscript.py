import numpy as np
from torch.utils.data import Dataset


class Views(Dataset):
    def __init__(self, views):
        self.views = views

    def __getitem__(self, index):
        return self.views[index][np.random.choice(3)]  # expect: SSF001
