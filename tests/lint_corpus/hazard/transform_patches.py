import numpy as np


class ShufflePatches:
    def __call__(self, input_patches):
        return [input_patches[i] for i in np.random.permutation(9)]  # expect: SSF001
