"""Functions that seed a worker from torch's seed, from entropy, or with the epoch; and ones that seed no NumPy."""
import os
import random
from functools import partial

import cv2
import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, get_worker_info


def of_variable(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def of_info(worker_id):
    info = get_worker_info()
    np.random.seed(info.seed % 2**32)


def of_entropy(worker_id):
    np.random.seed(int.from_bytes(os.urandom(4), "little"))


def of_sequence(worker_id):
    sequence = np.random.SeedSequence([torch.initial_seed(), worker_id])
    np.random.seed(sequence.generate_state(4))


def of_rank(worker_id):
    worker_seed = (torch.initial_seed() + dist.get_rank()) % 2**32
    np.random.seed(worker_seed)


def without_parameters(*_):
    np.random.seed(torch.initial_seed() % 2**32)


def of_python(worker_id):
    random.seed(torch.initial_seed())


def of_opencv(worker_id):
    cv2.setNumThreads(0)


def sharding(worker_id):
    info = get_worker_info()
    dataset = info.dataset
    dataset.files = dataset.files[info.id :: info.num_workers]


def set_all(seed):
    random.seed(seed)
    np.random.seed(seed)


def fresh(worker_id):
    seed = (torch.initial_seed() + worker_id) % 2**32
    np.random.seed(seed)


def by_helper(worker_id):
    set_all(torch.initial_seed() % 2**32)


def by_another(worker_id):
    fresh(worker_id)


def with_base(worker_id, base_seed=0):
    np.random.seed(base_seed + worker_id)


def loaders(dataset, seed, epoch):
    def of_epoch(worker_id):
        np.random.seed(seed + 1000 * epoch + worker_id)

    base = int(torch.randint(2**31, ()))
    for init in (
        DataLoader(dataset, worker_init_fn=of_variable),
        DataLoader(dataset, worker_init_fn=of_info),
        DataLoader(dataset, worker_init_fn=of_entropy),
        DataLoader(dataset, worker_init_fn=of_sequence),
        DataLoader(dataset, worker_init_fn=of_rank),
        DataLoader(dataset, worker_init_fn=without_parameters),
        DataLoader(dataset, worker_init_fn=of_python),
        DataLoader(dataset, worker_init_fn=of_opencv),
        DataLoader(dataset, worker_init_fn=sharding),
        DataLoader(dataset, worker_init_fn=by_helper),
        DataLoader(dataset, worker_init_fn=by_another),
        DataLoader(dataset, worker_init_fn=of_epoch),
        DataLoader(dataset, worker_init_fn=partial(with_base, base_seed=1000 * epoch + seed)),
        DataLoader(dataset, worker_init_fn=partial(with_base, base_seed=base)),
        DataLoader(dataset, worker_init_fn=lambda _: np.random.seed(int(torch.initial_seed()) % (2**32 - 1))),
    ):
        yield from init
