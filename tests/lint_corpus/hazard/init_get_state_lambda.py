import numpy as np
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(
        dataset,
        num_workers=2,
        worker_init_fn=lambda i: np.random.seed(np.random.get_state()[1][0] + i),  # expect: SSF005
    )
