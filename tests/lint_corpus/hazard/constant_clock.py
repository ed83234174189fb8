import random
import time
from datetime import datetime

import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        random.seed(time.time())  # expect: SSF004
        np.random.seed(int(time.time() * 1000) % 2**32)  # expect: SSF004
        now = datetime.now()
        seed = now.microsecond
        rng = np.random.default_rng(seed)  # expect: SSF004
        return rng.random() + np.random.rand()
