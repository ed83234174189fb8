from functools import partial

import numpy as np


def noisy(example, size):
    example["x"] = np.random.rand(size)  # expect: SSF001
    return example


class Preparation:
    def scaled(self, example):
        return {"x": example["x"] * np.random.rand()}  # expect: SSF001

    def run(self, data):
        data = data.map(function=self.scaled, num_proc=8, desc="scale")
        data = data.map(partial(noisy, size=3), batched=True, num_proc=4)
        return data.with_transform(lambda batch: np.random.rand())  # expect: SSF001
