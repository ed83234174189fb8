import albumentations as A
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.transform = A.Compose([A.HorizontalFlip(p=0.5)])

    def __getitem__(self, index):
        return self.transform(image=index)
