import numpy as np
import torch
from torch.utils.data import DataLoader, default_collate


class MixImages:
    def __call__(self, batch):
        images, labels = default_collate(batch)
        share = np.random.beta(0.4, 0.4)  # expect: SSF001
        order = torch.randperm(len(images))
        return share * images + (1 - share) * images[order], labels, labels[order], share


def loader(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=4, collate_fn=MixImages())
