import numpy as np
import ray


def noisy(batch):
    batch["x"] = batch["x"] + np.random.normal(size=batch["x"].shape)  # expect: SSF001
    return batch


class Augment:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, batch):
        batch["x"] = batch["x"] * self.rng.uniform(0.9, 1.1)  # expect: SSF002
        return batch


class Entropy:
    def __init__(self):
        self.rng = np.random.default_rng()

    def __call__(self, batch):
        batch["x"] = batch["x"] * self.rng.uniform(0.9, 1.1)
        return batch


def build(path):
    data = ray.data.read_parquet(path).map_batches(noisy).map_batches(Augment, concurrency=4)
    return data.map_batches(Entropy, concurrency=4)
