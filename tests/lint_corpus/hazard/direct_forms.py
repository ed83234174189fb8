"""A draw in every kind of statement and expression of a read."""
import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, views):
        self.views = views

    def __len__(self):
        return len(self.views)

    def __getitem__(self, index):
        image = self.views[index] + np.random.normal(0, 0.1)  # expect: SSF001
        if np.random.rand() < 0.5:  # expect: SSF001
            image = image[:, ::-1]
        while np.random.random() < 0.1:  # expect: SSF001
            index = index + 1
        with open(str(index)) as file:
            text = file.read()[np.random.randint(10) :]  # expect: SSF001
        try:
            image = self.read(index)
        except OSError:
            return self[np.random.randint(len(self))]  # expect: SSF001
        order = list(range(8))
        np.random.shuffle(order)  # expect: SSF001
        if (angle := np.random.uniform(-5, 5)) > 0:  # expect: SSF001
            return angle
        top, left = np.random.randint(32), np.random.randint(32)  # expect: SSF001 SSF001
        size = np.random.rand(np.random.randint(1, 9))  # expect: SSF001 SSF001
        view = self.views[index][np.random.choice(3)]  # expect: SSF001
        name = f"{text}-{np.random.randint(9)}"  # expect: SSF001
        crops = [np.random.randint(8) for _ in range(4)]  # expect: SSF001
        named = {name: np.random.rand() for name in "ab"}  # expect: SSF001
        together = sum(np.random.rand() for _ in range(4))  # expect: SSF001
        match index % 2:
            case 0:
                return np.random.rand()  # expect: SSF001
            case _:
                return image, top, left, size, view, name, crops, named, together, np.random.permutation(4)  # expect: SSF001

    def read(self, index):
        with open(str(index)) as file:
            return file.read()


class Batches(Dataset):
    def __getitems__(self, indices):
        return [i + np.random.rand() for i in indices]  # expect: SSF001
