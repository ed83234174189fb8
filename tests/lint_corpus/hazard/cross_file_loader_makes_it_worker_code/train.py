from things import Things
from torch.utils.data import DataLoader

loader = DataLoader(Things(), num_workers=2)
