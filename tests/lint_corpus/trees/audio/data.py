import torch
from transforms import Gain, Keyed, Reverb


class Clips(torch.utils.data.Dataset):
    def __init__(self, clips, seed):
        self.clips = clips
        self.transforms = [Gain(0.5, 1.5), Reverb(clips, seed)]
        self.keyed = Keyed(seed)

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        samples = self.clips[index]
        for transform in self.transforms:
            samples = transform(samples)
        return self.keyed(samples, index)
