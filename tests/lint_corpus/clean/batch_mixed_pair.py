import numpy as np
import torch


class MixupPairs:
    def __call__(self, batch):
        pictures, targets = batch
        order = torch.from_numpy(np.random.permutation(len(pictures))).to(pictures.device)
        return (pictures + pictures[order]) / 2, (targets + targets[order]) / 2
