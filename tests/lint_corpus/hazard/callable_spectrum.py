import numpy


class BandPerturbation:
    def __init__(self, seed=None):
        self.state = numpy.random.RandomState(seed)

    def __call__(self, x_stft, train=True):
        return x_stft * (self.state.rand(*x_stft.shape) > 0.1)  # expect: SSF002
