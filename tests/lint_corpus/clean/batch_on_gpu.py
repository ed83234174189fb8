import numpy as np
import torch
from torchvision import transforms


class PointcloudScale:
    def __call__(self, pc):
        for i in range(pc.size(0)):
            scale = np.random.uniform(0.8, 1.2, size=[3])
            pc[i, :, :3] = pc[i, :, :3] * torch.from_numpy(scale).float().cuda()
        return pc


train_transforms = transforms.Compose([PointcloudScale()])


def train(model, loader):
    for points, label in loader:
        model(train_transforms(points.cuda()), label)
