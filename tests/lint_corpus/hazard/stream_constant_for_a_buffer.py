import numpy as np
import torch
from torch.utils.data import IterableDataset


class ShuffledShards(IterableDataset):
    def __init__(self, urls, buffer: int = 1000, seed: int = 0):
        super().__init__()
        self.urls = list(urls)
        self.buffer = buffer

    def __iter__(self):
        rng = np.random.default_rng(1234)  # expect: SSF004
        buf = []
        for url in self.urls:
            for record in self.read(url):
                buf.append(record)
                if len(buf) > self.buffer:
                    yield buf.pop(int(rng.integers(len(buf))))
        yield from buf
