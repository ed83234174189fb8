import numpy as np
from torch.utils.data import Dataset


from scipy.stats import beta


class Images(Dataset):
    def __getitem__(self, index):
        return beta.rvs(2, 2, size=3)  # expect: SSF003
