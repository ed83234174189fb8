import numpy as np
import torch


class SingingGenerate:
    """Speech from a trained model: nothing that a loader calls."""

    def __call__(self, text: torch.Tensor | np.ndarray):
        return text * np.exp(2j * np.pi * np.random.rand(*text.shape))
