import numpy
import torch.utils.data


class Noise(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return numpy.random.standard_normal(4)  # expect: SSF001
