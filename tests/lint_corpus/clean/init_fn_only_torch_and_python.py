import random

import torch


def worker_init_fn(worker_id):
    random.seed(torch.initial_seed())
