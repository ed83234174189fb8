from monai.data import (
    CacheDataset,
    DataLoader,
)
from monai.transforms import RandomizableTransform


class RandScaled(RandomizableTransform):
    def __call__(self, image):
        return image * self.R.uniform(0.9, 1.1)


def loader(items):
    return DataLoader(CacheDataset(items, RandScaled()), num_workers=4)
