import numpy as np
from augment import montage
from sequence import Batches


def main(model, images):
    print(montage(images), np.random.rand())
    model.fit(Batches(images, ["brightness"]), workers=4, use_multiprocessing=True)
