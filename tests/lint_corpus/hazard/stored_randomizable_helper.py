from monai.transforms.transform import MapTransform, Randomizable
import torch

class RandShift(MapTransform, Randomizable):
    def __init__(self, keys):
        super().__init__(keys)
    def randomize(self, data=None):
        self._v = self.R.uniform(-1, 1)  # expect: SSF002
    def __call__(self, data):
        self.randomize()
        return data

loader = torch.utils.data.DataLoader([1], num_workers=4)
