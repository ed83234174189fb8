import numpy as np
import torch.distributed as dist


def worker_init_fn(worker_id):
    np.random.seed(1000 * dist.get_rank() + worker_id)  # expect: SSF006
