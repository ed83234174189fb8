from augment import jitter
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return jitter(index)
