import numpy as np
import webdataset as wds


def noisy(image):
    return image + np.random.normal(0, 1, image.shape)  # expect: SSF001


def shifted(sample):
    image, label = sample
    return np.roll(image, np.random.randint(8)), label  # expect: SSF001


stream = wds.WebDataset("shards.tar").decode("rgb").map_dict(png=noisy).to_tuple("png", "cls").map(shifted)
