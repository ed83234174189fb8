"""NumPy's global generator under every other name."""
import numpy
import numpy as np
import numpy.random as npr
from numpy import random
from numpy.random import mtrand
from numpy.random import randint as ri
from torch.utils.data import Dataset

DEFAULT = np.random
xp = np


class Noise(Dataset):
    rng = np.random

    def __init__(self, kind):
        self.kind = kind

    def __getitem__(self, index):
        import numpy as own

        draw = np.random.uniform
        return [
            numpy.random.standard_normal(4),  # expect: SSF001
            npr.randn(3),  # expect: SSF001
            random.rand(),  # expect: SSF001
            mtrand.rand(),  # expect: SSF001
            index + ri(5),  # expect: SSF001
            xp.random.rand(),  # expect: SSF001
            DEFAULT.rand(2),  # expect: SSF001
            own.random.rand(),  # expect: SSF001
            draw(0, 1),  # expect: SSF001
            self.rng.rand(),  # expect: SSF001
            getattr(np.random, "rand")(2),  # expect: SSF001
            getattr(np.random, self.kind)(size=2),  # expect: SSF001
        ]
