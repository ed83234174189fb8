import numpy as np
import torch


class RandomResize(torch.nn.Module):
    def forward(self, img, target):
        scale = np.random.uniform(0.5, 1.0)  # expect: SSF001
        return img * scale, target
