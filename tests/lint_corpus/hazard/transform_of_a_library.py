"""Transforms by the methods of the library's class that they inherit from."""
import albumentations as A
import numpy as np
from clips.registry import PIPELINES
from library.transforms import BasicTransform
from mmcv.transforms import BaseTransform
from pipelines import MappingDataProcessor
from sounds.core import BaseWaveformTransform
from volumes.core import VoxelOnlyTransform


class Stripe(A.ImageOnlyTransform):
    def apply(self, img, **params):
        img[np.random.randint(img.shape[0])] = 0  # expect: SSF001
        return img


class JitterBoxes(A.DualTransform):
    def apply_to_bboxes(self, bboxes, **params):
        return [self._jitter(box) for box in bboxes]

    def _jitter(self, box):
        return box + np.random.rand(4)  # expect: SSF001


class Invert(BasicTransform):
    def get_parameters(self, **data):
        return {"invert": np.random.rand() < 0.5}  # expect: SSF001


class RandomScale(BaseTransform):
    def transform(self, results):
        results["scale"] = np.random.uniform(0.5, 2.0)  # expect: SSF001
        return results


@PIPELINES.register()
class FrameDecoder:
    def __init__(self, count):
        self.count = count

    def __call__(self, results):
        first = np.random.randint(results["length"] - self.count)  # expect: SSF001
        return results["frames"][first : first + self.count]


class Blank(MappingDataProcessor):
    def apply(self, sample):
        if np.random.rand() < 0.1:  # expect: SSF001
            return sample.blank()
        return sample


class Hiss(BaseWaveformTransform):
    def randomize_parameters(self, samples, sample_rate):
        self.parameters["level"] = np.random.uniform(0.001, 0.01)  # expect: SSF001

    def apply(self, samples, sample_rate):
        return samples + self.parameters["level"] * np.random.randn(len(samples))  # expect: SSF001


class Haze(VoxelOnlyTransform):
    def apply(self, voxel, amount, **params):
        return voxel * (1 - amount)

    def get_params(self):
        return {"amount": np.random.random()}  # expect: SSF001


class Speckle(VoxelOnlyTransform):
    def apply(self, voxel, speckle, **params):
        return voxel + speckle

    def get_params_dependent_on_targets(self, params):
        return {"speckle": np.random.normal(0, 1, params["voxel"].shape)}  # expect: SSF001
