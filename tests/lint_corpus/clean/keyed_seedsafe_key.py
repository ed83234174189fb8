import seedsafe as ss
from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        key = ss.SampleKey(1, 0, index)
        return ss.generator(key).normal()
