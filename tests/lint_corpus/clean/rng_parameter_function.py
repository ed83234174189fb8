import numpy as np


def crop(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    top = int(rng.integers(image.shape[0]))
    return image[top:]
