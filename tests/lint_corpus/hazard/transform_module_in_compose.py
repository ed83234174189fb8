import numpy as np
import torch
from torchvision import transforms


class Mask(torch.nn.Module):
    def forward(self, x):
        return x * (np.random.rand() > 0.5)  # expect: SSF001


train = transforms.Compose([Mask()])
