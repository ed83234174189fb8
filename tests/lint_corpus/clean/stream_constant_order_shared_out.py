import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class Shards(IterableDataset):
    """All workers permute alike, and each takes its share."""

    def __init__(self, shards):
        self.shards = shards
        self.epoch = 0

    def __iter__(self):
        wi = get_worker_info()
        wid, n = (wi.id, wi.num_workers) if wi else (0, 1)
        order = np.random.default_rng(7).permutation(len(self.shards))
        for k in order[wid::n]:
            yield from np.load(self.shards[k])
