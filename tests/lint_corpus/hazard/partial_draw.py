import numpy as np
from torch.utils.data import Dataset


from functools import partial

gain = partial(np.random.uniform, 0.5, 2.0)


class Sounds(Dataset):
    def __getitem__(self, index):
        return index * gain()  # expect: SSF001
