import numpy as np
from torch.utils.data import Dataset


class Typed(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return int(np.random.randint(10))  # expect: SSF001
