import numpy as np
from torch.utils.data import Dataset


from dataclasses import dataclass, field


@dataclass
class Signals(Dataset):
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002
