import torch
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, signals):
        self.signals = [self.jitter(signal) for signal in signals]  # expect: SSF021

    def jitter(self, signal):
        return signal + torch.randn(signal.shape)

    def __getitem__(self, index):
        return self.signals[index]
