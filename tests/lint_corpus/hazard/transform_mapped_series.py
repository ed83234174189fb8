import numpy as np
from series.transform import FlatMapTransformation, MapTransformation


class Uniformize(MapTransformation):
    def map_transform(self, data, is_train):
        data["target"] = self.jitter(data["target"])
        return data

    @staticmethod
    def jitter(values):
        return values + np.random.normal(0, 1e-3, values.shape)  # expect: SSF001


class PickDimensions(FlatMapTransformation):
    def flatmap_transform(self, data, is_train):
        dimensions = np.arange(data["target"].shape[0])
        np.random.shuffle(dimensions)  # expect: SSF001
        yield {**data, "target": data["target"][dimensions[:4]]}
