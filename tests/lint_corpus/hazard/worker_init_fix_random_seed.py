"""A helper of the project's own seeds all generators with the run's seed and the worker's number."""

import random

import numpy as np
import torch


def fix_random_seed(random_seed: int):
    random.seed(random_seed)
    np.random.seed(random_seed)
    torch.random.manual_seed(random_seed)


def worker_init_fn(worker_id: int, rank=None, seed: int = 42) -> None:
    process_seed = seed + 100 * worker_id
    if rank is not None:
        process_seed += 100000 * rank
    fix_random_seed(process_seed)  # expect: SSF006
