import numpy as np
from sounds.core import BaseWaveformTransform


class Hiss(BaseWaveformTransform):
    def randomize_parameters(self, samples, sample_rate):
        self.parameters["level"] = np.random.uniform(0.001, 0.01)  # expect: SSF001

    def apply(self, samples, sample_rate):
        return samples + self.parameters["level"] * np.random.randn(len(samples))  # expect: SSF001
