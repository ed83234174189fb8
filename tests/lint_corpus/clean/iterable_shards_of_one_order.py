import random

from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, files, seed):
        self.files, self.seed, self.epoch = files, seed, 0

    def __iter__(self):
        files = list(self.files)
        random.Random(self.seed + self.epoch).shuffle(files)
        info = get_worker_info()
        yield from files[info.id :: info.num_workers] if info else files
