class CountingDict(dict):
    def __init__(self):
        super().__init__()
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)
