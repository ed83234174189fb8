import numpy as np


def test_dataset():
    data = np.random.rand(10)
    assert len(data) == 10
