"""Functions that no loader of the file gets, but whose names say what they are for."""
import numpy as np
import torch.distributed as dist


def worker_init_fn(worker_id):
    np.random.seed(np.random.get_state()[2] + worker_id)  # expect: SSF005


def seed_worker(worker_id):
    base = np.random.get_state()[1][0]  # expect: SSF005
    np.random.seed(base + worker_id)


def init_worker(worker_id):
    np.random.seed(0)  # expect: SSF007


def worker_seed(worker_id):
    np.random.seed(worker_id)  # expect: SSF006


def worker_init_ranked(worker_id):
    np.random.seed(1000 * dist.get_rank() + worker_id)  # expect: SSF006
