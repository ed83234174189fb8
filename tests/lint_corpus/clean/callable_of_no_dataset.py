"""Classes that are called, or have items, and that no loader gets: agents, pools, forests, tests."""
import unittest

import numpy as np


class GaussianActionNoise:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, action, step):
        return action + self.scale / step * np.random.randn(*action.shape)


class EpsilonGreedy:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, state):
        return np.random.randint(4) if np.random.rand() < self.epsilon else int(state.argmax())


class OUNoise:
    def __init__(self, size):
        self.state = np.zeros(size)

    def __call__(self):
        self.state = self.state + np.random.normal(size=self.state.shape)
        return self.state


class ReplayBuffer:
    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def sample(self, n):
        return [self.items[i] for i in np.random.randint(len(self), size=n)]


class Forest:
    def __init__(self, trees):
        self.trees = trees

    def __getitem__(self, index):
        return self.trees[index]

    def fit(self, x):
        self.rows = np.random.choice(len(x), len(x))


class ImagePool:
    def __init__(self, size):
        self.size = size
        self.images = []

    def __call__(self, images):
        kept = []
        for image in images:
            if len(self.images) < self.size:
                self.images.append(image)
            elif np.random.rand() > 0.5:
                image = self.images[np.random.randint(self.size)]
            kept.append(image)
        return kept


class Layer:
    def __init__(self, n):
        self.weights = np.random.randn(n, n)

    def __call__(self, x):
        return x @ self.weights


class Spectrum2Waveform:
    """Turns a model's output into sound, from random phases."""

    def __init__(self, invert, rounds):
        self.invert, self.rounds = invert, rounds

    def __call__(self, spec):
        angles = np.exp(2j * np.pi * np.random.rand(*spec.shape))
        for _ in range(self.rounds):
            angles = np.exp(1j * np.angle(self.invert(spec * angles)))
        return self.invert(spec * angles)


class RandomSelection:
    """Picks the nodes of a graph that a model is built around."""

    def __init__(self, count, seed):
        self.count = count
        self.generator = np.random.default_rng(seed)

    def __call__(self, edges: np.ndarray) -> np.ndarray:
        return self.generator.permutation(edges.max())[: self.count]


class RandomCategory:
    """Draws one category and keeps its weights for the rest of the recipe."""

    def __init__(self, sizes):
        self.sizes = sizes

    def __call__(self, x, name, global_state):
        weights = global_state.setdefault(name, np.ones(len(self.sizes)) / len(self.sizes))
        return np.random.choice(self.sizes, p=weights)


class BatchLoader:
    def __init__(self, x, size):
        self.x, self.size = x, size

    def __iter__(self):
        order = np.random.permutation(len(self.x))
        for start in range(0, len(order), self.size):
            yield self.x[order[start : start + self.size]]


class TestImages(unittest.TestCase):
    def test_item(self):
        self.assertEqual(len(np.random.rand(3)), 3)
