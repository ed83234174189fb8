import numpy as np
from torch.utils.data import Dataset


class Names(Dataset):
    def __getitem__(self, index):
        return f"{index}-{np.random.randint(9)}"  # expect: SSF001
