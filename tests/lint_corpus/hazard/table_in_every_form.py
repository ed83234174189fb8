import numpy as np, random
from torch.utils.data import Dataset

def f1(x, v): return x + np.random.rand() * v  # expect: SSF001
def f2(x, v): return x + np.random.rand() * v  # expect: SSF001
def f3(x, v): return x + np.random.rand() * v  # expect: SSF001
def f4(x): return x + np.random.rand()  # expect: SSF001
def f5(x): return x + np.random.rand()  # expect: SSF001
OPS = {"f1": (f1, 0, 1), "f2": (f2, 0, 1)}

class D(Dataset):
    def __init__(self, names):
        self.ops = {"a": (self.m1, 0.5), "b": (self.m2, 0.5)}
        self.funcs = [f4, f5]
        self.one = [(f3, 0, 30)]

    def m1(self, x): return x + np.random.rand()  # expect: SSF001
    def m2(self, x): return x + np.random.rand()  # expect: SSF001

    def __getitem__(self, i):
        x = i
        for name, (fn, p) in self.ops.items():
            x = fn(x)
        op, lo, hi = OPS[random.choice(list(OPS))]
        x = op(x, lo)
        x = random.choice(self.funcs)(x)
        for fn, lo, hi in random.sample(self.one, 1):
            x = fn(x, lo)
        return x

    def __len__(self): return 3
