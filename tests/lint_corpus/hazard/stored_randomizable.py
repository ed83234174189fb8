from monai.transforms import MapTransform, RandomizableTransform
from torch.utils.data import DataLoader, Dataset


class RandScaled(RandomizableTransform, MapTransform):
    def __init__(self, keys, prob=0.5):
        MapTransform.__init__(self, keys)
        RandomizableTransform.__init__(self, prob)

    def __call__(self, data):
        if self.R.rand() < self.prob:  # expect: SSF002
            data["image"] = data["image"] * self.R.uniform(0.9, 1.1)  # expect: SSF002
        return data


class Volumes(Dataset):
    def __init__(self, items):
        self.items = items
        self.transform = RandScaled(["image"])

    def __getitem__(self, index):
        return self.transform(self.items[index])


def loader(items):
    return DataLoader(Volumes(items), num_workers=4)
