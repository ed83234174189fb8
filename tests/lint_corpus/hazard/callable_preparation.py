import numpy as np


class TrainPreprocess:
    def __call__(self, image, boxes):
        return image[:, ::-1] if np.random.randint(2) else image, boxes  # expect: SSF001
