"""Samplers draw in the main process, and a DistributedSampler needs set_epoch only where it shuffles in a loop of epochs."""
import numpy as np
import torch
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Identities(torch.utils.data.sampler.BatchSampler):
    def __iter__(self):
        for _ in range(10):
            yield list(np.random.choice(100, 8, replace=False))


class Balanced(Sampler):
    def __init__(self, labels):
        self.labels = labels

    def __iter__(self):
        return iter(np.random.permutation(len(self.labels)))

    def __len__(self):
        return len(self.labels)


class Shuffled(Sampler):
    def __init__(self, n, seed):
        self.n, self.seed, self.epoch = n, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(np.random.default_rng((self.seed, self.epoch)).permutation(self.n))


def made_for_somebody_else(dataset):
    return DataLoader(dataset, sampler=DistributedSampler(dataset))


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, sampler=sampler)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)


def evaluate(dataset, epochs, step):
    sampler = DistributedSampler(dataset, shuffle=False)
    for epoch in range(epochs):
        for batch in DataLoader(dataset, sampler=sampler):
            step(batch)
