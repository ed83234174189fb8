import numpy as np


class RandomCrop(object):
    def __call__(self, sample):
        image, label = sample["image"], sample["label"]
        top = np.random.randint(0, 8)  # expect: SSF001
        return {"image": image[top:], "label": label}
