import numpy as np
from torch.utils.data import DataLoader, Dataset, Sampler


class Images(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return index


class Order(Sampler):
    def __iter__(self):
        yield from np.random.permutation(3)


def parts():
    return [Images(), Order()]


data, order = parts()
loader = DataLoader(data, sampler=order)
