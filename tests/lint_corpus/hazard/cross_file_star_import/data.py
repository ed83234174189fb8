from compat import *


class Images(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
