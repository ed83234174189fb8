import numpy as np
from base import Base


class Noisy(Base):
    def sample(self, index):
        return np.random.rand()  # expect: SSF001
