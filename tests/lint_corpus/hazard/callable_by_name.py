"""Classes that no loader of the file gets, but whose names and calls are those of a transform or a collate function."""
import random

import numpy as np


class RandomFlip:
    def __init__(self, random_state: np.random.RandomState):
        self.random_state = random_state

    def __call__(self, m: np.ndarray) -> np.ndarray:
        return m[::-1] if self.random_state.uniform() > 0.5 else m  # expect: SSF002


class RandomGain:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, waveform):
        return waveform * self.rng.uniform(0.5, 2)  # expect: SSF002


class BandPerturbation:
    def __init__(self, seed=None):
        self.state = np.random.RandomState(seed)

    def __call__(self, x_stft, train=True):
        return x_stft * (self.state.rand(*x_stft.shape) > 0.1)  # expect: SSF002


class RandomShift:
    def __init__(self, most):
        self.most = most

    def __call__(self, image):
        return np.roll(image, np.random.randint(self.most))  # expect: SSF001


class RandomMask:
    def __call__(self, image):
        np.random.seed(42)  # expect: SSF004
        return image * (np.random.rand(*image.shape) > 0.5)


class RandomNoise:
    def __call__(self, image):
        np.random.seed(None)  # expect: SSF004
        random.seed()  # expect: SSF004
        return image + np.random.normal(0, 1, image.shape)  # expect: SSF001


class ColorJitter:
    @staticmethod
    def get_params(most):
        return np.random.uniform(-most, most)  # expect: SSF001

    def __call__(self, img):
        return img + self.get_params(0.2)


class PhotoMetricDistortion:
    def __call__(self, results):
        results["img"] = self.brightness(results["img"])
        return results

    def brightness(self, img):
        return img + np.random.uniform(-32, 32)  # expect: SSF001


class TrainPreprocess:
    def __call__(self, image, boxes):
        return image[:, ::-1] if np.random.randint(2) else image, boxes  # expect: SSF001


class RandomCropPair:
    def __init__(self, side):
        self.side = side

    def __call__(self, noisy, sharp):
        top = np.random.randint(noisy.shape[0] - self.side)  # expect: SSF001
        rows = slice(top, top + self.side)
        return noisy[rows], sharp[rows]


class RandomCrop(object):
    def __call__(self, sample):
        image, label = sample["image"], sample["label"]
        top = np.random.randint(0, 8)  # expect: SSF001
        return {"image": image[top:], "label": label}


class RandomWindow:
    def __init__(self, length):
        self.length = length

    def __call__(self, state_dict):
        trace, metadata = state_dict["X"]
        start = np.random.randint(trace.shape[-1] - self.length)  # expect: SSF001
        state_dict["X"] = trace[..., start : start + self.length], metadata


class PreprocessSpans:
    def __init__(self, share):
        self.share = share

    def _places(self, length):
        return np.random.choice(length, int(length * self.share))  # expect: SSF001

    def __call__(self, instance):
        hidden = instance.copy()
        hidden[self._places(len(instance))] = 0
        return hidden


class SpecAugment:
    def __call__(self, feature, length):
        start = np.random.randint(length)  # expect: SSF001
        feature[start : start + 10] = 0
        return feature


class ShufflePatches:
    def __call__(self, input_patches):
        return [input_patches[i] for i in np.random.permutation(9)]  # expect: SSF001


class Steps:
    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, place):
        return self.steps[place]


class OneOf(Steps):
    def __call__(self, *args, force=False, **data):
        step = np.random.choice(self.steps)  # expect: SSF001
        return step(force=True, **data)


class MaskCollator:
    def __init__(self, ratio):
        self.ratio = ratio

    def __call__(self, batch):
        return np.random.rand(len(batch)) < self.ratio  # expect: SSF001
