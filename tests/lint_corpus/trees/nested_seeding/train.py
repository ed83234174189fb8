import numpy as np
from data import BaseSet, MaskedSet
from torch.utils.data import DataLoader

from data.utils import numpy_seed


def main(items):
    for dataset in (BaseSet(items, 1), MaskedSet(items, 1)):
        for epoch in range(3):
            dataset.set_epoch(epoch)
            for batch in DataLoader(dataset, collate_fn=dataset.collater, num_workers=2):
                with numpy_seed(1, epoch):
                    print(batch, np.random.rand())
