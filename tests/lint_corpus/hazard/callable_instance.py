import numpy as np


class PreprocessSpans:
    def __init__(self, share):
        self.share = share

    def _places(self, length):
        return np.random.choice(length, int(length * self.share))  # expect: SSF001

    def __call__(self, instance):
        hidden = instance.copy()
        hidden[self._places(len(instance))] = 0
        return hidden
