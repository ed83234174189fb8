from data import Clips
from torch.utils.data import DataLoader

loader = DataLoader(Clips([1, 2], 3), num_workers=2)
