from torch.utils.data import Dataset

from . import add_noise


class Images(Dataset):
    def __getitem__(self, index):
        return add_noise(self.images[index])
