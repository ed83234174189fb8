"""Models, policies and mixers that import torch, Keras or gym, and that no loader gets."""
import gym
import keras
import numpy as np
import torch


class Walk(gym.Env):
    def reset(self):
        self.position = np.random.randint(10)
        return self.position

    def step(self, action):
        return self.position + action, np.random.rand(), False, {}


class RandomPolicy:
    def __call__(self, obs, state=None):
        return np.random.rand(len(obs)), torch.tensor(0)


class Net(torch.nn.Module):
    def forward(self, x):
        if np.random.rand() < 0.5:
            x = x.flip(-1)
        return x


class BatchMixupLayer:
    def __init__(self, alpha):
        self.alpha = alpha

    def __call__(self, img, gt_label):
        lam = np.random.beta(self.alpha, self.alpha)
        return lam * img + (1 - lam) * img[torch.randperm(len(img))]


class MixupPairs:
    def __call__(self, batch):
        pictures, targets = batch
        order = torch.from_numpy(np.random.permutation(len(pictures))).to(pictures.device)
        return (pictures + pictures[order]) / 2, (targets + targets[order]) / 2


class OrnsteinUhlenbeckProcess:
    def __call__(self, x):
        return torch.as_tensor(np.random.normal(size=len(x)))


class UniformTimeStepSampler:
    def __call__(self, batch_size):
        return torch.from_numpy(np.random.choice(1000, size=(batch_size,)))


class SingingGenerate:
    """Speech from a trained model: nothing that a loader calls."""

    def __call__(self, text: torch.Tensor | np.ndarray):
        return text * np.exp(2j * np.pi * np.random.rand(*text.shape))


class Noise(keras.layers.Layer):
    def call(self, x):
        return x + np.random.normal(size=3)


class Epochs(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.picture = np.random.randint(10)
