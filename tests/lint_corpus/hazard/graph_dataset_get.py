import numpy as np
import torch
from torch_geometric.data import Dataset
from torch_geometric.transforms import BaseTransform


class Molecules(Dataset):
    def __init__(self, root, seed=1):
        super().__init__(root)
        self.seed = seed
        self.rng = np.random.RandomState(seed)

    def len(self):
        return 100

    def get(self, idx):
        data = torch.load(f"{self.processed_dir}/{idx}.pt")
        np.random.seed(self.seed)  # expect: SSF004
        data.pos = data.pos + self.rng.normal(size=data.pos.shape)  # expect: SSF002
        return data


class DropNodes(BaseTransform):
    def forward(self, data):
        keep = np.random.rand(data.num_nodes) > 0.1  # expect: SSF001
        return data.subgraph(torch.from_numpy(keep))
