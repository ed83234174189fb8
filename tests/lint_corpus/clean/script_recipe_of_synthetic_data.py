import numpy as np


class RandomCategory:
    """Draws one category and keeps its weights for the rest of the recipe."""

    def __init__(self, sizes):
        self.sizes = sizes

    def __call__(self, x, name, global_state):
        weights = global_state.setdefault(name, np.ones(len(self.sizes)) / len(self.sizes))
        return np.random.choice(self.sizes, p=weights)
