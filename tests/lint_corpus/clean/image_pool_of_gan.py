import numpy as np


class ImagePool:
    def __init__(self, size):
        self.size = size
        self.images = []

    def __call__(self, images):
        kept = []
        for image in images:
            if len(self.images) < self.size:
                self.images.append(image)
            elif np.random.rand() > 0.5:
                image = self.images[np.random.randint(self.size)]
            kept.append(image)
        return kept
