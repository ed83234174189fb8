import numpy as np


def batches():
    while True:
        yield np.random.rand(8)  # expect: SSF001


def train(model):
    model.fit_generator(batches(), workers=4, use_multiprocessing=True)
