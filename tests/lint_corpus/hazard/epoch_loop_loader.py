import torch
from torch.utils.data import DataLoader


def train(dataset, step):
    for epoch in range(9):
        loader = DataLoader(dataset, shuffle=True, generator=torch.Generator().manual_seed(0))  # expect: SSF020
        for batch in loader:
            step(batch)
