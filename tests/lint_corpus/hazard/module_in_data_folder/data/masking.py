import numpy as np
import torch


class SpecAugment(torch.nn.Module):
    def forward(self, features):
        start = np.random.randint(features.shape[-1])  # expect: SSF001
        features[..., start:] = 0
        return features
