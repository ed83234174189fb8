import grain.python as grain


class Jitter(grain.RandomMapTransform):
    def random_map(self, element, rng):
        return element + rng.normal()
