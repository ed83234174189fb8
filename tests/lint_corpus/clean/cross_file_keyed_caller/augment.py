def jitter(value, rng):
    return value + rng.normal()
