import random

from torch.utils.data import Dataset


class Mapped(Dataset):
    def __init__(self, files):
        self.files = files
        self.rng = random.Random(42)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        while self.files[index] is None:
            index = self.rng.randrange(len(self.files))  # expect: SSF002
        return self.files[index]
