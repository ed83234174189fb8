import numpy as np

from volumes.core import VoxelOnlyTransform


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
