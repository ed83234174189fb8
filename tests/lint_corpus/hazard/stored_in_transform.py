import numpy as np


class RandomGain:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, waveform):
        return waveform * self.rng.uniform(0.5, 2)  # expect: SSF002
