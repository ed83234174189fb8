import common
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return common.RNG.random()  # expect: SSF002
