import numpy as np


class Reader:
    def __init__(self, files):
        self.files = files

    def shuffled(self):
        files = list(self.files)
        np.random.shuffle(files)  # expect: SSF001
        return files

    def read(self):
        for file in self.shuffled():
            yield file, self.weight()

    def weight(self):
        return np.random.rand()  # expect: SSF001

    def inspect(self):
        return self.files[np.random.randint(len(self.files))]
