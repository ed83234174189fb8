import ctypes
import multiprocessing as mp
from multiprocessing import shared_memory

import numpy as np
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, count):
        self.served = torch.zeros(count).share_memory_()
        self.failed = torch.zeros(count)
        self.failed.share_memory_()
        seen = torch.zeros(count)
        seen.share_memory_()
        self.seen = seen
        base = mp.Array(ctypes.c_float, count)
        self.weights = torch.from_numpy(np.ctypeslib.as_array(base.get_obj()))
        block = shared_memory.SharedMemory(create=True, size=8 * count)
        self.times = np.ndarray((count,), buffer=block.buf)
        self.lost = np.memmap("lost.bin", mode="w+", shape=(count,))
        self.calls = mp.Value("i", 0)

    def __getitem__(self, index):
        self.served[index] += 1
        self.failed += 1
        self.seen[index] += 1
        self.weights[index] += 0.5
        self.times[index] += 1
        self.lost[index] += 1
        with self.calls.get_lock():
            self.calls.value += 1
        return index
