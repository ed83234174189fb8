import random

from torch.utils.data import IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __init__(self, urls, deterministic=True):
        self.urls = urls
        self.rng = random.Random()
        self.deterministic = deterministic

    def __iter__(self):
        if self.deterministic:
            self.rng = random.Random(get_worker_info().seed)
        for _ in range(1000):
            yield self.urls[self.rng.randint(0, len(self.urls) - 1)]
