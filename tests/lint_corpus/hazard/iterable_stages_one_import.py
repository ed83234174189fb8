import numpy as np, webdataset as wds


def noisy(sample):
    return sample + np.random.normal()  # expect: SSF001


stream = wds.WebDataset("shards.tar").decode().map(noisy)
