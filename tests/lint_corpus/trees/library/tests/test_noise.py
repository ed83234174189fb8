import numpy as np
from augment import RandomGain


def test_gain():
    image = np.random.rand(3, 3)
    assert RandomGain()(image).shape == (3, 3)
