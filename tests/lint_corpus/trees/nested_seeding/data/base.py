import torch

from . import utils


class BaseSet(torch.utils.data.Dataset):
    def __init__(self, items, seed):
        self.items = items
        self.seed = seed
        self.epoch = 0
        self.order = utils.order(len(items), seed)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[self.order[index]]

    def collater(self, samples):
        return [utils.spans(len(sample), 0.1) for sample in samples]
