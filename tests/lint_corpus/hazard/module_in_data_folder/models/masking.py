import numpy as np
import torch


class SpecAugment(torch.nn.Module):
    def forward(self, features):
        features[..., np.random.randint(features.shape[-1]) :] = 0
        return features
