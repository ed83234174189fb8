import numpy as np
import torch


def worker_init_fn(worker_id):
    sequence = np.random.SeedSequence([torch.initial_seed(), worker_id])
    np.random.seed(sequence.generate_state(4))
