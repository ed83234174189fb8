import numpy as np
from torch.utils.data import Dataset


from torch.utils.data import DataLoader


class Images(Dataset):
    def __getitem__(self, index):
        return index


loader = DataLoader(Images(), num_workers=2, persistent_workers=True)
