"""Structures of public projects just before they fixed their random numbers, in our own words."""

PROJECTS = {
    # A segmentation project: every transform of raw and label holds a RandomState of one seed.
    "volumes": """
class RandomFlip:
    def __init__(self, random_state): self.random_state = random_state
    def __call__(self, x):
        for axis in (0, 1):
            if self.random_state.uniform() > 0.5: x = np.flip(x, axis)  # BUG
        return x
class Noise:
    def __init__(self, random_state): self.random_state = random_state
    def __call__(self, x): return x + self.random_state.normal(0, 0.1, size=x.shape)
class D(Base):
    def __init__(self): self.transforms = [RandomFlip(np.random.RandomState(47)), Noise(np.random.RandomState(47))]
    def read(self, index):
        x = PICTURES[index]
        for t in self.transforms: x = t(x)
        return x.copy()
""",
    # A vocoder: the segment is drawn from a generator that is made in __init__, and dithering noise lies over it.
    "segments": """
class D(Base):
    def __init__(self): self.random = random.Random(1234)
    def read(self, index):
        start = self.random.randint(0, 6)  # BUG
        return PICTURES[index][start : start + 6] + np.random.uniform(-0.1, 0.1, (6, 12))
""",
    # A detector's dataset that draws another record with a generator of its own.
    "mosaic": """
class D(Base):
    def __init__(self): self.rng = np.random.default_rng()
    def read(self, index):
        others = self.rng.integers(0, COUNT, 3)  # BUG
        return np.stack([PICTURES[index], *(PICTURES[o] for o in others)])
""",
    # Masks of a language model, with a constant seed in each read.
    "masks": """
class D(Base):
    def read(self, index):
        rng = np.random.default_rng(12345)  # BUG
        x = PICTURES[index].copy()
        x[rng.random(x.shape) < 0.15] = 0
        return x + torch.randn(x.shape).numpy()
""",
    # Worker seeds without the epoch.
    "worker seeds": """
def init(worker_id): np.random.seed(42 + worker_id)  # BUG
class D(Base):
    def read(self, index): return PICTURES[index] * np.random.uniform(0.8, 1.2)
def dataset(): return DataLoader(D(), num_workers=2, worker_init_fn=init)
""",
    # The same seed in all workers.
    "one seed": """
def init(worker_id): np.random.seed(0)  # BUG
class D(Base):
    def read(self, index): return PICTURES[index] * np.random.uniform(0.8, 1.2)
def dataset(): return DataLoader(D(), num_workers=2, worker_init_fn=init)
""",
    # A large project's fix of 2026: seed + epoch + index, and workers that persist.
    "added seeds": """
class D(Base):
    def __init__(self): self.seed, self.epoch = 7, 0
    def set_epoch(self, epoch): self.epoch = epoch
    def read(self, index):
        rng = np.random.default_rng(self.seed + self.epoch + index)  # BUG
        return PICTURES[index] + rng.normal(size=(12, 12))
""",
    "epoch of persistent workers": """
class D(Base):
    def __init__(self): self.seed, self.epoch = 7, 0
    def set_epoch(self, epoch): self.epoch = epoch
    def read(self, index):
        rng = np.random.default_rng((self.seed, self.epoch, index))  # BUG
        return PICTURES[index] + rng.normal(size=(12, 12))
def dataset(): return DataLoader(D(), num_workers=2, persistent_workers=True)
""",
    # A generator at the top of a module of transforms.
    "module": """
rng = np.random.default_rng(0)
def jitter(x): return x * rng.uniform(0.9, 1.1)  # BUG
class D(Base):
    def read(self, index): return jitter(PICTURES[index]) + np.random.normal(size=(12, 12))
""",
    # A time-series benchmark: the strong augmentation is made in __init__.
    "made once": """
class D(Base):
    def __init__(self):
        self.weak = PICTURES * np.random.normal(1.0, 0.1, (COUNT, 1, 1))  # BUG
    def read(self, index): return PICTURES[index], self.weak[index]
""",
    # Draws that are kept for each case.
    "kept": """
class D(Base):
    def __init__(self): self.shifts = {}
    def read(self, index):
        if index not in self.shifts: self.shifts[index] = np.random.randint(12)  # BUG
        return np.roll(PICTURES[index], self.shifts[index], 0)
""",
    # OpenCV's noise.
    "opencv": """
class D(Base):
    def read(self, index):
        noise = cv2.randn(np.zeros((12, 12)), 0, 10)  # BUG
        return PICTURES[index] + noise
""",
}
HEAD = """
import random
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
COUNT = 24
PICTURES = np.stack([np.outer(np.sin(np.arange(12) * n), np.cos(np.arange(12) * n)) for n in range(1, 25)]) * 50
class Base(Dataset):
    def __len__(self): return COUNT
    def __getitem__(self, index):
        if not -COUNT <= index < COUNT: raise IndexError(index)
        return self.read(index)
"""
TAIL = """
def dataset(): return D()
"""


def code_of(project: str) -> str:
    """Return a project's module, whose `dataset` is to be audited."""
    body = PROJECTS[project]
    return HEAD + body + ("" if "def dataset" in body else TAIL)
