from torch.utils.data import get_worker_info


def worker_init_fn(worker_id):
    info = get_worker_info()
    dataset = info.dataset
    dataset.files = dataset.files[info.id :: info.num_workers]
