import numpy as np
import torch
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, frames):
        self.frames = frames
        self.ready = False

    def __getitem__(self, index):
        if not self.ready:
            info = torch.utils.data.get_worker_info()
            if info is not None:
                np.random.seed(info.id)  # expect: SSF006
                self.ready = True
        return self.frames[index]
