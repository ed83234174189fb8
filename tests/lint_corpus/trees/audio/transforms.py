import random


class Gain:
    def __init__(self, low, high, rng=None):
        self.low = low
        self.high = high
        self.rng = rng or random.Random(0)

    def __call__(self, samples):
        return samples * self.rng.uniform(self.low, self.high)  # expect: SSF002


class Reverb:
    def __init__(self, responses, seed):
        self.responses = responses
        self.rng = random.Random(seed)

    def response(self):
        return self.rng.choice(self.responses)  # expect: SSF002

    def __call__(self, samples):
        return samples + self.response()


class Keyed:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, samples, index):
        return samples * random.Random(f"{self.seed}/{index}").uniform(0.5, 1.0)
