import numpy as np
from config import train_pipeline
from dataset import Detection
from torch.utils.data import DataLoader


def anchors(n):
    return np.random.rand(n, 4)


def main(infos):
    loader = DataLoader(Detection(infos, train_pipeline), num_workers=4)
    for batch in loader:
        print(batch, anchors(3))
