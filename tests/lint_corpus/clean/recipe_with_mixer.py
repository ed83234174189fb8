"""One table holds transforms and what mixes ready batches; a pipeline calls the former, with one sample."""

import numpy as np
from torchvision.transforms import Compose


class MixOrNot:
    def __init__(self, mixers, probs):
        self.mixers = mixers
        self.probs = probs

    def __call__(self, batch_input, batch_score):
        chosen = np.random.choice(len(self.mixers), p=self.probs)
        return self.mixers[chosen](batch_input, batch_score)


def prepared(schedule):
    recipes = []
    for given in schedule:
        recipe = dict(given)
        recipe["pipeline"] = Compose(recipe["pipeline"])
        recipe["mix"] = MixOrNot(**recipe["mix"])
        recipes.append(recipe)
    return recipes
