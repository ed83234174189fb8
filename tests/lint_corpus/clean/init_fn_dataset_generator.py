import numpy as np
from torch.utils.data import Dataset


from torch.utils.data import DataLoader, get_worker_info


class Images(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return self.rng.random()


def worker_init_fn(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)


loader = DataLoader(Images(), num_workers=2, worker_init_fn=worker_init_fn)
