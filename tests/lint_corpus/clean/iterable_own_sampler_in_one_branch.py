import torch
from torch.utils.data import IterableDataset, Sampler, get_worker_info


class Weighted(Sampler):
    def __init__(self, weights, seed=None):
        self.weights = weights
        self.generator = torch.Generator()
        if seed is not None:
            self.generator.manual_seed(seed)

    def __iter__(self):
        for _ in self.weights:
            yield torch.multinomial(self.weights, 1, generator=self.generator).item()


class Stream(IterableDataset):
    def __init__(self, samples, weights, seed):
        self.samples, self.weights, self.seed = samples, weights, seed
        self.epoch = 0

    def order(self, seed):
        if self.weights is None:
            order = range(len(self.samples))
        else:
            order = Weighted(self.weights, seed=seed)
        return order

    def __iter__(self):
        self.epoch += 1
        for index in self.order(hash((self.seed, self.epoch, get_worker_info().id))):
            yield self.samples[index]
