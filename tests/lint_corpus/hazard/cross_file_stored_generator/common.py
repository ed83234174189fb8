import numpy as np

RNG = np.random.default_rng(0)
