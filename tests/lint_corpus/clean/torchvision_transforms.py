from torch.utils.data import Dataset
from torchvision import transforms


class Images(Dataset):
    def __init__(self):
        self.transform = transforms.Compose([transforms.RandomCrop(8), transforms.RandomHorizontalFlip()])

    def __getitem__(self, index):
        return self.transform(index)
