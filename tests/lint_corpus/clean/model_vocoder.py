import numpy as np


class Spectrum2Waveform:
    """Turns a model's output into sound, from random phases."""

    def __init__(self, invert, rounds):
        self.invert, self.rounds = invert, rounds

    def __call__(self, spec):
        angles = np.exp(2j * np.pi * np.random.rand(*spec.shape))
        for _ in range(self.rounds):
            angles = np.exp(1j * np.angle(self.invert(spec * angles)))
        return self.invert(spec * angles)
