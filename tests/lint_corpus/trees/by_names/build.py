import importlib

import numpy as np


def transform_class(name):
    module = importlib.import_module("transforms")
    return getattr(module, name)


class Transformer:
    def __init__(self, configs):
        self.configs = configs

    def build(self):
        return [transform_class(config["name"])(np.random.RandomState(47)) for config in self.configs]
