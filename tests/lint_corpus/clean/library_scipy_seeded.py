import numpy as np
from torch.utils.data import Dataset


from scipy import stats


class Images(Dataset):
    def __getitem__(self, index):
        return stats.norm.rvs(size=3, random_state=index)
