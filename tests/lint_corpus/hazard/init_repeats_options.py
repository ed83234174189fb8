import numpy as np
from torch.utils.data import DataLoader


def train_loader(dataset, args):
    return DataLoader(dataset, worker_init_fn=lambda number: np.random.seed(args.seed + number))  # expect: SSF006


def test_loader(dataset, opt):
    def init(number):
        np.random.seed(opt.seed + number)  # expect: SSF006

    return DataLoader(dataset, worker_init_fn=init)
