import numpy as np


class EpsilonGreedy:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, state):
        return np.random.randint(4) if np.random.rand() < self.epsilon else int(state.argmax())
