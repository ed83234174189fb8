import torch
from torch.utils.data import DataLoader


def train(dataset, epochs, step):
    sampler = torch.utils.data.distributed.DistributedSampler(dataset, shuffle=True)  # expect: SSF010
    for epoch in range(epochs):
        for batch in DataLoader(dataset, sampler=sampler):
            step(batch)
