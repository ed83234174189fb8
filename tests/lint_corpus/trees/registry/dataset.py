import numpy as np
import torch
from registry import PIPELINES


class Compose:
    def __init__(self, transforms):
        self.transforms = [PIPELINES.build(config) for config in transforms]

    def __call__(self, results):
        for transform in self.transforms:
            results = transform(results)
        return results


class Detection(torch.utils.data.Dataset):
    def __init__(self, infos, pipeline):
        self.infos = infos
        self.pipeline = Compose(pipeline)

    def __len__(self):
        return len(self.infos)

    def _another(self):
        return np.random.randint(len(self))  # expect: SSF001

    def prepare(self, index):
        return self.pipeline(dict(self.infos[index]))

    def __getitem__(self, index):
        while True:
            data = self.prepare(index)
            if data is None:
                index = self._another()
                continue
            return data
