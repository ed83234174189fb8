from collections.abc import Mapping


class Counted(Mapping):
    def __init__(self, values):
        self.values = values
        self.reads = 0

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __getitem__(self, item):
        self.reads += 1
        return self.values[item]
