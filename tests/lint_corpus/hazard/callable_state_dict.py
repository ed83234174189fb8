import numpy as np


class RandomWindow:
    def __init__(self, length):
        self.length = length

    def __call__(self, state_dict):
        trace, metadata = state_dict["X"]
        start = np.random.randint(trace.shape[-1] - self.length)  # expect: SSF001
        state_dict["X"] = trace[..., start : start + self.length], metadata
