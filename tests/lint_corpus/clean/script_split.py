import numpy as np

np.random.seed(0)
order = np.random.permutation(100)
train, test = order[:80], order[80:]
