import functools

import numpy as np
from torch.utils.data import DataLoader


def pad(batch, most):
    return batch[: np.random.randint(most)]  # expect: SSF001


def loader(dataset):
    return DataLoader(dataset, collate_fn=functools.partial(pad, most=8))
