import torch
from torch.utils.data import IterableDataset
import torch.distributed as dist


class Tokens(IterableDataset):
    def __init__(self, docs, rank=0, world_size=1):
        self.docs, self.rank, self.world_size = docs, rank, world_size

    def _mask(self, ids):
        return torch.rand(ids.shape, generator=self.gen) < 0.15

    def __iter__(self):
        self.gen = torch.Generator()
        self.gen.manual_seed(1234)  # expect: SSF004
        for doc in self.docs[self.rank::self.world_size]:
            yield doc, self._mask(doc)
