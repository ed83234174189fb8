import numpy as np
import torch
import torch.distributed as dist


def worker_init_fn(worker_id):
    worker_seed = (torch.initial_seed() + dist.get_rank()) % 2**32
    np.random.seed(worker_seed)
