from functools import partial

import numpy as np
from torch.utils.data import Dataset


class Augmentor:
    def __init__(self, configs):
        self.queue = []
        for config in configs:
            self.queue.append(getattr(self, config.NAME)(config=config))

    def random_flip(self, data=None, config=None):
        if data is None:
            return partial(self.random_flip, config=config)
        if np.random.choice([False, True]):  # expect: SSF001
            data["points"][:, 1] *= -1
        return data

    def random_scale(self, data=None, config=None):
        if data is None:
            return partial(self.random_scale, config=config)
        data["points"] *= np.random.uniform(*config.RANGE)  # expect: SSF001
        return data

    def report(self, step):
        print(step, np.random.rand())

    def forward(self, data):
        for augment in self.queue:
            data = augment(data=data)
        return data


class Clouds(Dataset):
    def __init__(self, infos, config):
        self.infos = infos
        self.augmentor = Augmentor(config)

    def __getitem__(self, index):
        return self.augmentor.forward({"points": self.infos[index]})
