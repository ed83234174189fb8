import numpy as np
import torch


class BatchMixupLayer:
    def __init__(self, alpha):
        self.alpha = alpha

    def __call__(self, img, gt_label):
        lam = np.random.beta(self.alpha, self.alpha)
        return lam * img + (1 - lam) * img[torch.randperm(len(img))]
