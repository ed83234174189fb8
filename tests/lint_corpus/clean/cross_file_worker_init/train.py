from data import D
from torch.utils.data import DataLoader, get_worker_info


def init(_):
    info = get_worker_info()
    info.dataset.reset(info.seed)


loader = DataLoader(D([1]), num_workers=2, worker_init_fn=init)
