import numpy as np
from torch.utils.data import Dataset


from sklearn.utils import check_random_state


class Signals(Dataset):
    def __init__(self, seed):
        self.state = check_random_state(seed)

    def __getitem__(self, index):
        return self.state.uniform()  # expect: SSF002
