import numpy as np


class RandomSelection:
    """Picks the nodes of a graph that a model is built around."""

    def __init__(self, count, seed):
        self.count = count
        self.generator = np.random.default_rng(seed)

    def __call__(self, edges: np.ndarray) -> np.ndarray:
        return self.generator.permutation(edges.max())[: self.count]
