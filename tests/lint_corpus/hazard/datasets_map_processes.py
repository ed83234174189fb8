import numpy as np
from datasets import load_dataset


def masked(example):
    example["mask"] = np.random.rand(len(example["tokens"])) < 0.15  # expect: SSF001
    return example


def cropped(batch):
    start = np.random.randint(0, 10)  # expect: SSF001
    batch["tokens"] = [tokens[start:] for tokens in batch["tokens"]]
    return batch


def build(name, workers):
    data = load_dataset(name, split="train")
    data = data.map(masked, num_proc=workers)
    data.set_transform(cropped)
    return data
