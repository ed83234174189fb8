def crop(image, rng):
    return image[rng.integers(3) :]


def jitter(image, rng):
    return image * rng.uniform(0.9, 1.1)


STEPS = [crop, jitter]
