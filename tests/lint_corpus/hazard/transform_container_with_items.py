import numpy as np


class Steps:
    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, place):
        return self.steps[place]


class OneOf(Steps):
    def __call__(self, *args, force=False, **data):
        step = np.random.choice(self.steps)  # expect: SSF001
        return step(force=True, **data)
