class RandomShift:
    def __call__(self, image, rng):
        return image[rng.integers(4) :]
