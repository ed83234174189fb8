import torch


class Base(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return self.sample(index)
