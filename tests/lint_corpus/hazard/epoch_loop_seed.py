import torch
from torch.utils.data import DataLoader


def train(dataset, step):
    loader = DataLoader(dataset, shuffle=True)
    for epoch in range(9):
        torch.manual_seed(0)  # expect: SSF020
        for batch in loader:
            step(batch)
