import numpy as np
from torch.utils.data import DataLoader


def worker_init_fn(*args):
    np.random.seed(1)  # expect: SSF007


def init_worker(**words):
    np.random.seed(1)  # expect: SSF007


def worker_seed(*, worker_id):
    np.random.seed(worker_id)  # expect: SSF006


def loader(dataset):
    return DataLoader(dataset, worker_init_fn=lambda *_: np.random.seed(2))  # expect: SSF007
