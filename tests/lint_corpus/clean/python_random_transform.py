import random


class RandomFlip:
    def __call__(self, image):
        return image[::-1] if random.random() < 0.5 else image
