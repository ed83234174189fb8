from common import Mapped
from torch.utils.data import Dataset


class Emptied(Dataset):
    def __init__(self, dataset):
        self.dataset = dataset

    def __getitem__(self, index):
        self.dataset[index]
        return [0]


def run(files):
    return Emptied(Mapped(files))
