import numpy as np
from torchvision import transforms


def add_noise(x):
    return x + np.random.randn()  # expect: SSF001


train = transforms.Compose([transforms.ToTensor(), transforms.Lambda(add_noise)])
