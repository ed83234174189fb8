import numpy as np


class RandomFlip:
    def __init__(self, random_state):
        self.random_state = random_state

    def __call__(self, m):
        return m[::-1] if self.random_state.uniform() > 0.5 else m  # expect: SSF002


class RandomContrast:
    def __call__(self, m):
        return m * np.random.uniform(0.8, 1.2)  # expect: SSF001
