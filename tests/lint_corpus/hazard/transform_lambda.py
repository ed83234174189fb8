import numpy as np
from torchvision import transforms

train = transforms.Compose([transforms.Lambda(lambda x: x * np.random.rand())])  # expect: SSF001
