import numpy as np


class RandomFlip:
    def __init__(self, random_state: np.random.RandomState):
        self.random_state = random_state

    def __call__(self, m: np.ndarray) -> np.ndarray:
        return m[::-1] if self.random_state.uniform() > 0.5 else m  # expect: SSF002
