"""Kinds of faults as people write them, each in several spellings, and what comes near them and is right."""

import textwrap
from pathlib import Path

import pytest

from seedsafe_lint import lint

HEAD = """\
import random
import time
import functools
from functools import lru_cache, partial

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

"""
READ = """\
class Rows(Dataset):
    def __init__(self, rows, seed=0):
        self.rows = rows
        self.seed = seed
        self.kept = dict()
        self.gen = torch.Generator()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
{body}

{more}

def loader(rows):
    return DataLoader(Rows(rows), num_workers=4)
"""


def read(body: str, more: str = "") -> str:
    return READ.format(body=textwrap.indent(textwrap.dedent(body), " " * 8), more=more)


DRAWN_SEED = {
    "torch": read("seed = torch.randint(1000, (1,))[0]\ntorch.manual_seed(seed)\nreturn torch.rand(3)"),
    "item": read("torch.manual_seed(int(torch.randint(0, 2**31, (1,)).item()))\nreturn torch.rand(3)"),
    "numpy": read("np.random.seed(np.random.randint(1000))\nreturn np.random.rand()"),
    "random": read("s = random.randint(0, 9999)\nrandom.seed(s)\nnp.random.seed(s)\nreturn random.random()"),
    "method": read(
        "self.reseed()\nreturn torch.rand(3)",
        "    def reseed(self):\n        torch.manual_seed(self.new_seed())\n\n"
        "    def new_seed(self):\n        return torch.randint(0, 1000, ()).item()\n",
    ),
    "function": "def fix():\n    seed = random.randrange(10**6)\n    random.seed(seed)\n    return seed\n\n\n"
    + read("fix()\nreturn random.random()"),
    "closure": read(
        "def seed():\n    return random.getrandbits(16)\nrandom.seed(seed())\nreturn random.random()"
    ),
    "generator": read(
        "self.gen.manual_seed(torch.randint(99, (), generator=self.gen).item())\nreturn torch.rand(2, generator=self.gen)"
    ),
    "transform": (
        "class Jitter:\n    def __call__(self, image):\n        s = np.random.randint(0, 2**16)\n"
        "        np.random.seed(s)\n        return image + np.random.normal()\n"
    ),
}
DRAWN_SEED_RIGHT = {
    "other generator": read("np.random.seed(torch.randint(1000, ()).item())\nreturn np.random.rand()"),
    "index": read("torch.manual_seed(index)\nreturn torch.rand(3)"),
    "put back": read(
        "seed = torch.randint(1000, ()).item()\nstate = torch.get_rng_state()\ntorch.manual_seed(seed)\nx = torch.rand(3)\n"
        "torch.set_rng_state(state)\nreturn x"
    ),
    "forked": read(
        "seed = torch.randint(9, ()).item()\nwith torch.random.fork_rng():\n    torch.manual_seed(seed)\n    return torch.rand(3)"
    ),
    "new generator": read(
        "g = torch.Generator().manual_seed(torch.randint(2**31, ()).item())\nreturn torch.rand(3, generator=g)"
    ),
}
CONSTANT = {
    "stream": (
        "class Stream(IterableDataset):\n    def __init__(self, rows):\n        self.rows = rows\n\n    def __iter__(self):\n"
        "        rng = np.random.default_rng(0)\n        for row in self.rows:\n            yield row + rng.normal()\n"
    ),
    "stream of Python": (
        "class Stream(IterableDataset):\n    def __iter__(self):\n        rng = random.Random(7)\n        for row in range(9):\n"
        "            yield row + rng.random()\n"
    ),
    "stream's option": (
        "class Stream(IterableDataset):\n    def __init__(self, rows, seed=42):\n        self.rows, self.seed = rows, seed\n\n"
        "    def __iter__(self):\n        rng = np.random.RandomState(self.seed)\n        for row in self.rows:\n"
        "            yield row + rng.normal()\n"
    ),
    "stream's global": (
        "class Stream(IterableDataset):\n    def __iter__(self):\n        np.random.seed(3)\n        yield np.random.rand()\n"
    ),
    "stream's method": (
        "class Stream(IterableDataset):\n    def __iter__(self):\n        return self.rows()\n\n    def rows(self):\n"
        "        rng = np.random.default_rng(5)\n        while len(str(self)):\n            yield rng.random()\n"
    ),
    "jax": "import jax\n\n\n" + read("key = jax.random.PRNGKey(0)\nreturn jax.random.normal(key, (3,))"),
    "jax's new key": "from jax import random as jr\n\n\n" + read("return jr.uniform(jr.key(42), (3,))"),
    "jax in a helper": "import jax\n\n\ndef noise(shape):\n    return jax.random.normal(jax.random.PRNGKey(1), shape)\n\n\n"
    + read("return noise((3,))"),
    "clock": "class Helper:\n    def __init__(self):\n        self.rng = np.random.default_rng(int(time.time()))\n\n"
    "    def jitter(self, x):\n        return x + self.rng.normal()\n\n\n"
    + read("return Helper().jitter(index)"),
}
EPOCH = "    def set_epoch(self, epoch):\n        self.epoch = epoch\n"
ADDED = {
    "numpy": read("return np.random.default_rng(self.seed + self.epoch + index).random()", EPOCH),
    "random": read("random.seed(index + 1000 * self.seed + self.epoch)\nreturn random.random()", EPOCH),
    "name": read("seed = self.epoch + index\ntorch.manual_seed(seed % 2**31)\nreturn torch.rand(3)", EPOCH),
    "method": read(
        "return self.rng(index).random()",
        EPOCH + "\n    def rng(self, i):\n        return np.random.default_rng(self.epoch + i)\n",
    ),
}
ADDED_RIGHT = {
    "tuple": read("return np.random.default_rng((self.seed, self.epoch, index)).random()", EPOCH),
    "product": read("return np.random.default_rng(self.epoch * len(self) + index).random()", EPOCH),
    "seed": read("return np.random.default_rng(self.seed + index).random()", EPOCH),
}
CALLED_AT_FIRST = {
    "prepare_data": (
        "class Scenes(Dataset):\n    def __init__(self, n):\n        self.rng = np.random.default_rng(0)\n"
        "        self.order = self.prepare_data()\n\n    def prepare_data(self):\n        return self.rng.permutation(9)\n"
    ),
}
CONSTANT_RIGHT = {
    "shared out": (
        "class Stream(IterableDataset):\n    def __init__(self, files):\n        self.files = files\n\n    def __iter__(self):\n"
        "        order = np.random.default_rng(0).permutation(len(self.files))\n        info = get_worker_info()\n"
        "        yield from order[info.id :: info.num_workers]\n"
    ),
    "worker": (
        "class Stream(IterableDataset):\n    def __iter__(self):\n        info = get_worker_info()\n"
        "        rng = np.random.default_rng(info.seed)\n        yield rng.random()\n"
    ),
    "jax by index": "import jax\n\n\n"
    + read("key = jax.random.PRNGKey(index)\nreturn jax.random.normal(key, (3,))"),
    "jax folded": "import jax\n\n\n"
    + read("key = jax.random.fold_in(jax.random.PRNGKey(index), index)\nreturn jax.random.normal(key, (3,))"),
}
NOTES = {
    "initial seed": read("return np.random.default_rng(torch.initial_seed()).random()"),
    "initial seed of Python": read("return random.Random(torch.initial_seed() % 2**32).random()"),
    "initial seed by name": read(
        "seed = torch.initial_seed() % 2**32\nrng = np.random.RandomState(seed)\nreturn rng.rand()"
    ),
    "torch.seed": read("torch.seed()\nreturn torch.rand(3)"),
    "generator": read("self.gen.manual_seed(torch.seed())\nreturn torch.rand(3, generator=self.gen)"),
    "generator's seed": read("g = torch.Generator()\ng.seed()\nreturn torch.rand(3, generator=g)"),
    "no seed": read("return np.random.default_rng().random()"),
    "no seed in a helper": "def noise(n):\n    rng = np.random.default_rng()\n    return rng.normal(size=n)\n\n\n"
    + read("return noise(3)"),
    "no seed of RandomState": read("return np.random.RandomState().rand()"),
}
NOTES_RIGHT = {
    "with the index": read("return np.random.default_rng([torch.initial_seed(), index]).random()"),
    "added": read("return np.random.default_rng(torch.initial_seed() + index).random()"),
    "made once": read(
        "if self.rng is None:\n    self.rng = np.random.default_rng(torch.initial_seed())\nreturn self.rng.random()",
        "    rng = None\n",
    ),
    "made once, asked otherwise": read(
        "if not hasattr(self, 'own'):\n    self.own = np.random.default_rng(torch.initial_seed())\nreturn self.own.random()"
    ),
}
KEPT = {
    "number under a name": read("self.kept['n'] = self.kept['n'] + 1\nreturn self.kept['n']"),
    "dictionary": read(
        "if index not in self.kept:\n    self.kept[index] = random.uniform(-30, 30)\nreturn self.kept[index]"
    ),
    "try": read(
        "try:\n    return self.kept[index]\nexcept KeyError:\n    self.kept[index] = np.random.rand()\nreturn self.kept[index]"
    ),
    "setdefault": read("return self.kept.setdefault(index, torch.rand(1).item())"),
    "get": read(
        "angle = self.kept.get(index)\nif angle is None:\n    angle = self.kept[index] = random.random() * 30\nreturn angle"
    ),
    "list": read(
        "if self.kept[index] is None:\n    self.kept[index] = self.draw()\nreturn self.kept[index]",
        "    def draw(self):\n        return {'angle': 1.0, 'flip': np.random.rand() > 0.5}['angle'] * np.random.rand()\n",
    ),
    "sample": read(
        "if index in self.kept:\n    return self.kept[index]\nrow = self.jitter(self.rows[index])\nself.kept[index] = row\nreturn row",
        "    def jitter(self, row):\n        return row + np.random.normal(size=3)\n",
    ),
    "module": "ANGLES = {}\n\n\n"
    + read("if index not in ANGLES:\n    ANGLES[index] = random.uniform(-1, 1)\nreturn ANGLES[index]"),
    "cached method": read(
        "return self.angle(index)",
        "    @lru_cache(maxsize=None)\n    def angle(self, index):\n        return random.uniform(0, 9)\n",
    ),
    "cached function": "@functools.cache\ndef angle(index):\n    return np.random.rand()\n\n\n"
    + read("return angle(index)"),
    "turn": read("self.kept[index] = (self.kept.get(index, 0) + 1) % 2\nreturn self.kept[index]"),
    "turn by name": read("turn = self.kept.get(index, 0)\nself.kept[index] = 1 - turn\nreturn turn"),
    "flag": read("self.kept[index] = not self.kept.get(index, False)\nreturn self.kept[index]"),
}
KEPT_RIGHT = {
    "cache": read(
        "if index not in self.kept:\n    self.kept[index] = self.rows[index] * 2\nreturn self.kept[index] + random.random()"
    ),
    "local": read("kept = {}\nkept[index] = random.random()\nreturn kept[index]"),
    "buffer": read("self.kept[:2] = np.random.rand(2)\nreturn self.kept + 0"),
    "scratch": read("self.kept['angle'] = random.random()\nreturn self.kept['angle']"),
    "own size": (
        "class Store:\n    def __init__(self):\n        self.rows, self.used = {}, 0\n\n    def put(self, key, row):\n"
        "        self.rows[key] = row\n        self.used += len(row)\n        while self.used > 9:\n            self.used -= 1\n\n\n"
        + read("self.store.put(index, self.rows[index])\nreturn self.rows[index]").replace(
            "self.kept = dict()", "self.store = Store()"
        )
    ),
    "least recently used": (
        "class LRU:\n    def __init__(self):\n        self.hits = 0\n\n    def get(self, key):\n        self.hits += 1\n        return key\n\n\n"
        + read("return self.lru.get(index)").replace("self.kept = dict()", "self.lru = LRU()")
    ),
}
EPOCH = READ.replace("self.kept = dict()", "self.epoch = 0")
SET = "    def set_epoch(self, epoch):\n        self.epoch = epoch\n"
DRAW = "        rng = np.random.default_rng((self.seed, self.epoch, index))\n        return rng.random()"
TRAIN = "\n\ndef train(rows, epochs):\n    data = Rows(rows)\n    for epoch in range(epochs):\n        {set}\n        for batch in {loader}:\n            print(batch)\n"
KEPT_LOADER = "DataLoader(data, num_workers=2, persistent_workers=True)"
EPOCHS = {
    "never set": EPOCH.format(body=DRAW, more=""),
    "never set, Python": EPOCH.format(
        body='        return random.Random(f"{self.seed}/{self.epoch}/{index}").random()', more=""
    ),
    "never set, global": EPOCH.format(
        body="        np.random.seed(self.epoch * 1000 + index)\n        return np.random.rand()", more=""
    ),
    "never set, by name": EPOCH.format(
        body="        seed = [self.seed, self.epoch, index]\n        return np.random.RandomState(seed).rand()",
        more="",
    ),
    "persistent": EPOCH.format(body=DRAW, more=SET).replace(
        "num_workers=4", "num_workers=4, persistent_workers=True"
    ),
    "persistent if workers": EPOCH.format(body=DRAW, more=SET).replace(
        "num_workers=4", "num_workers=4, persistent_workers=4 > 0"
    ),
    "persistent, set from outside": EPOCH.format(body=DRAW, more="")
    + "\n\ndef train(rows, epochs):\n    data = Rows(rows)\n    batches = DataLoader(data, num_workers=2, persistent_workers=True)\n"
    "    for epoch in range(epochs):\n        data.epoch = epoch\n        for batch in batches:\n            print(batch)\n",
    "torch": EPOCH.format(
        body="        g = torch.Generator().manual_seed(self.seed + 1000 * self.epoch + index)\n        return torch.rand(2, generator=g)",
        more="",
    ),
}
EPOCHS_RIGHT = {
    "set": EPOCH.format(body=DRAW, more=SET)
    + TRAIN.format(set="data.set_epoch(epoch)", loader="DataLoader(data, num_workers=2)"),
    "set from outside": EPOCH.format(body=DRAW, more="")
    + TRAIN.format(set="data.epoch = epoch", loader="DataLoader(data, num_workers=2)"),
    "made in each epoch": EPOCH.format(body=DRAW, more=SET).replace("num_workers=4", "num_workers=2")
    + TRAIN.format(set="data.set_epoch(epoch)", loader=KEPT_LOADER),
    "shared": EPOCH.replace("self.epoch = 0", "self.epoch = torch.zeros(1).share_memory_()")
    .format(body="        return np.random.default_rng((int(self.epoch), index)).random()", more="")
    .replace("num_workers=4", "num_workers=4, persistent_workers=True"),
    "given": EPOCH.replace("seed=0", "seed=0, epoch=0")
    .replace("self.epoch = 0", "self.epoch = epoch")
    .format(body=DRAW, more=""),
    "not persistent": EPOCH.format(body=DRAW, more=SET).replace(
        "num_workers=4", "num_workers=4, persistent_workers=False"
    ),
}
LOOP = "def train(loader, data, epochs, step):\n    for epoch in range(epochs):\n        {line}\n        for batch in loader:\n            step(batch)\n"
LOOPS = {
    "generator seeded on a line of its own": LOOP.format(
        line="g = torch.Generator()\n        g.manual_seed(0)\n        loader = DataLoader(data, generator=g)"
    ),
    "torch": LOOP.format(line="torch.manual_seed(0)"),
    "name": "SEED = 42\n\n\n" + LOOP.format(line="torch.manual_seed(SEED)"),
    "helper": "from lightning import seed_everything\n\n\n" + LOOP.format(line="seed_everything(7)"),
    "numpy": LOOP.format(line="np.random.seed(0)"),
    "while": "def train(loader, step):\n    epoch = 0\n    while epoch < 9:\n        torch.manual_seed(1)\n        for batch in loader:\n            step(batch)\n        epoch += 1\n",
    "function": "def one(loader, step):\n    torch.manual_seed(0)\n    for batch in loader:\n        step(batch)\n\n\n"
    "def train(loader, step):\n    for epoch in range(9):\n        one(loader, step)\n",
    "hook": "class Model:\n    def on_train_epoch_start(self):\n        torch.manual_seed(0)\n",
    "loader": LOOP.format(
        line="loader = DataLoader(data, shuffle=True, generator=torch.Generator().manual_seed(0))"
    ),
    "loader's generator by name": LOOP.format(
        line="g = torch.Generator().manual_seed(3)\n        loader = DataLoader(data, shuffle=True, generator=g)"
    ),
    "loader of a function": "def make(data):\n    return DataLoader(data, shuffle=True, generator=torch.Generator().manual_seed(0))\n\n\n"
    "def train(data, step):\n    for epoch in range(9):\n        for batch in make(data):\n            step(batch)\n",
    "loader of ours": "from seedsafe_torch import AugmentedDataset, loader as keyed\n\n\n"
    + LOOP.format(line="loader = keyed(AugmentedDataset(data, seed=1), num_workers=2)"),
}
LOOPS_RIGHT = {
    "epoch": LOOP.format(line="torch.manual_seed(epoch)"),
    "sum": LOOP.format(line="torch.manual_seed(42 + epoch)"),
    "before": "def train(loader, step):\n    torch.manual_seed(0)\n    for epoch in range(9):\n        for batch in loader:\n            step(batch)\n",
    "forked": LOOP.format(line="with torch.random.fork_rng():\n            torch.manual_seed(0)"),
    "generator made before": "def train(data, step):\n    g = torch.Generator().manual_seed(0)\n    for epoch in range(9):\n"
    "        for batch in DataLoader(data, shuffle=True, generator=g):\n            step(batch)\n",
    "generator of the epoch": LOOP.format(
        line="loader = DataLoader(data, generator=torch.Generator().manual_seed(epoch))"
    ),
    "workers draw": LOOP.format(line="np.random.seed(0)")
    + "\n\ndef make(data):\n    return DataLoader(data, num_workers=4)\n",
    "runs": "def runs(train):\n    for run in range(3):\n        torch.manual_seed(0)\n        train()\n",
}
ONCE_HEAD = "class Rows(Dataset):\n    def __init__(self, rows):\n        {line}\n\n    def __len__(self):\n        return len(self.rows)\n\n    def __getitem__(self, index):\n        return self.rows[index]\n"
JITTER = "class Jitter:\n    def __call__(self, row):\n        return row + np.random.normal(size=3)\n\n\n"
ONCE = {
    "method": ONCE_HEAD.format(line="self.rows = [self.augment(row) for row in rows]")
    + "\n    def augment(self, row):\n        return row + torch.randn(3)\n",
    "class": JITTER
    + ONCE_HEAD.format(line="self.jitter = Jitter()\n        self.rows = [self.jitter(row) for row in rows]"),
    "loop": JITTER
    + ONCE_HEAD.format(
        line="jitter = Jitter()\n        self.rows = []\n        for row in rows:\n            self.rows.append(jitter(row))"
    ),
    "local list": "def random_flip(row):\n    return row if random.random() < 0.5 else row[::-1]\n\n\n"
    + ONCE_HEAD.format(
        line="made = []\n        for row in rows:\n            made.append(random_flip(row))\n        self.rows = made"
    ),
    "helper": ONCE_HEAD.format(line="self.load(rows)")
    + "\n    def load(self, rows):\n        self.rows = [self.add_noise(r) for r in rows]\n\n"
    "    def add_noise(self, row):\n        return row + np.random.rand()\n",
    "library": "from torchvision import transforms as T\n\n\n"
    + ONCE_HEAD.format(
        line="flip = T.Compose([T.RandomHorizontalFlip(), T.ToTensor()])\n        self.rows = [flip(row) for row in rows]"
    ),
}
ONCE_RIGHT = {
    "synthetic": ONCE_HEAD.format(line="self.rows = np.random.rand(9, 3)"),
    "prepared": ONCE_HEAD.format(line="self.rows = [self.transform(row) for row in rows]")
    + "\n    def transform(self, row):\n        return row / 255\n",
    "shuffled": ONCE_HEAD.format(line="self.rows = list(rows)\n        random.shuffle(self.rows)"),
    "library": "from torchvision import transforms as T\n\n\n"
    + ONCE_HEAD.format(line="tensor = T.ToTensor()\n        self.rows = [tensor(row) for row in rows]"),
}
INIT = "{head}def init(worker_id):\n    np.random.seed(42 + worker_id)\n\n\n{loader}\n"
INITS = {
    "plain": INIT.format(head="", loader="DataLoader([], num_workers=2, worker_init_fn=init)"),
    "not persistent": INIT.format(
        head="", loader="DataLoader([], num_workers=2, worker_init_fn=init, persistent_workers=False)"
    ),
    "one of two": INIT.format(
        head="",
        loader="DataLoader([], worker_init_fn=init, persistent_workers=True)\nDataLoader([], num_workers=1, worker_init_fn=init)",
    ),
}
INITS_RIGHT = {
    "persistent": INIT.format(
        head="", loader="DataLoader([], num_workers=2, worker_init_fn=init, persistent_workers=True)"
    ),
    "options": INIT.format(
        head="", loader="OPTIONS = dict(num_workers=2, worker_init_fn=init, persistent_workers=True)"
    ),
    "dictionary": INIT.format(
        head="", loader="OPTIONS = {'num_workers': 2, 'worker_init_fn': init, 'persistent_workers': True}"
    ),
    "torch": INIT.replace("np.random.seed", "torch.manual_seed").format(
        head="", loader="DataLoader([], worker_init_fn=init, persistent_workers=True)"
    ),
}
OF_CLASS = {
    "type": read("return type(self).RNG.uniform()").replace(
        "(Dataset):", "(Dataset):\n    RNG = np.random.RandomState(1)\n"
    ),
}
MORE = {
    "NOTES": {
        "urandom": "rng = np.random.default_rng(int.from_bytes(os.urandom(8), 'little'))\nreturn rng.random()",
        "secrets": "rng = np.random.default_rng(secrets.randbits(64))\nreturn rng.random()",
    },
    "KEPT": {
        "get": "angle = self.kept.get(index)\nif angle is None:\n    angle = torch.rand(())\n"
        "    self.kept[index] = angle\nreturn angle",
        "bool": "if index not in self.kept:\n    self.kept[index] = bool(torch.rand(1) < 0.5)\nreturn self.kept[index]",
    },
}
NOTES |= {name: "import os, secrets\n" + read(body) for name, body in MORE["NOTES"].items()}
KEPT |= {name: read(body) for name, body in MORE["KEPT"].items()}
CONSTANT_RIGHT["folded"] = "import jax\n" + read(
    "return jax.random.fold_in(jax.random.key(self.seed), index)"
)
INITS |= {
    "an object": "class Init:\n    def __call__(self, worker_id):\n        np.random.seed(worker_id)\n\n\n"
    "def load(data):\n    return DataLoader(data, num_workers=2, worker_init_fn=Init())\n",
    "in a table": "def begin(worker_id):\n    np.random.seed(worker_id)\n\n\nOPTIONS = {'worker_init_fn': begin}\n"
    "loader = DataLoader([], num_workers=2, **OPTIONS)\n",
}
_EPOCHS_OF = (
    "def fit(data, epochs):\n    batches = DataLoader(data, num_workers=2)\n    for ep in range(epochs):\n"
)
LOOPS["a helper's argument"] = (
    "def start(number):\n    torch.manual_seed(number)\n\n\n" + _EPOCHS_OF + "        start(3)\n"
)
LOOPS_RIGHT["a helper's epoch"] = LOOPS["a helper's argument"].replace("start(3)", "start(3 + ep)")
_ONCE = (
    "class Once(Dataset):\n    def __init__(self, images):\n        self.images = {}\n\n    def __len__(self):\n"
    "        return len(self.images)\n\n    def __getitem__(self, index):\n        return self.images[index]\n"
)
ONCE |= {
    "noise": _ONCE.format("[image + np.random.normal(size=image.shape) for image in images]"),
    "map": "def add_noise(image):\n    return image + np.random.rand()\n\n\n"
    + _ONCE.format("list(map(add_noise, images))"),
}
ONCE_RIGHT["random data"] = _ONCE.format("np.random.normal(size=(images, 3))")
KINDS = [
    ("SSF004 error", DRAWN_SEED, DRAWN_SEED_RIGHT),
    ("SSF004 error", CONSTANT, CONSTANT_RIGHT),
    ("SSF004 warning", ADDED, ADDED_RIGHT),
    ("SSF004 note", NOTES, NOTES_RIGHT),
    ("SSF002", OF_CLASS, CALLED_AT_FIRST),
    ("SSF013", KEPT, KEPT_RIGHT),
    ("SSF010 error", EPOCHS, EPOCHS_RIGHT),
    ("SSF020 error", LOOPS, LOOPS_RIGHT),
    ("SSF021 error", ONCE, ONCE_RIGHT),
    ("SSF006 error", INITS, INITS_RIGHT),
]
FAULTS = [
    pytest.param(kind, text, id=f"{kind} {name}") for kind, wrong, _ in KINDS for name, text in wrong.items()
]
RIGHT = [
    pytest.param(kind, text, id=f"{kind} {name}") for kind, _, right in KINDS for name, text in right.items()
]


def found(folder: Path, text: str, **others: str) -> set[str]:
    for name, source in {"data": text, **others}.items():
        (folder / f"{name}.py").write_text(HEAD + source, encoding="utf-8")
    report = lint([folder])
    assert not report.skipped
    return {f"{finding.code} {finding.severity}" for finding in report.findings}


@pytest.mark.parametrize(("kind", "text"), FAULTS)
def test_a_fault_is_found(kind: str, text: str, tmp_path: Path) -> None:
    assert any(entry.startswith(kind) for entry in found(tmp_path, text))


@pytest.mark.parametrize(("kind", "text"), RIGHT)
def test_what_is_right_is_left_alone(kind: str, text: str, tmp_path: Path) -> None:
    assert not any(entry.startswith(kind[:6]) for entry in found(tmp_path, text))


AFFECTED = {
    "partial collate": (
        "def gather(batch, rng):\n    return torch.stack(batch) * rng.random()\n\n\n"
        "def loader(data):\n    return DataLoader(data, collate_fn=partial(gather, rng=np.random.default_rng(0)))\n"
    ),
    "partial collate, first argument": (
        "def gather(rng, batch):\n    return torch.stack(batch) * rng.random()\n\n\n"
        "def loader(data):\n    return DataLoader(data, collate_fn=partial(gather, np.random.default_rng(0)))\n"
    ),
    "partial collate by name": (
        "def collate(batch, gen):\n    return torch.stack(batch) * gen.normal()\n\n\nRNG = np.random.RandomState(3)\n"
        "my_collate = functools.partial(collate, gen=RNG)\nDataLoader([], num_workers=2, collate_fn=my_collate)\n"
    ),
    "list of transforms": (
        "from typing import List\n\n\nclass Shift:\n    def apply(self, x):\n        return x + np.random.rand()\n\n\n"
        "class Rows(Dataset):\n    def __init__(self, steps: List[Shift]):\n        self.steps = steps\n\n    def __len__(self):\n"
        "        return 3\n\n    def __getitem__(self, i):\n        x = 0\n        for step in self.steps:\n            x = step.apply(x)\n"
        "        return x\n"
    ),
    "list of transforms, builtin": (
        "class Shift:\n    def __call__(self, x):\n        return x + np.random.rand()\n\n\n"
        "class Rows(Dataset):\n    def __init__(self, steps: 'list[Shift] | None' = None):\n        self.steps = steps\n\n"
        "    def __getitem__(self, i):\n        return self.steps[0](i)\n"
    ),
    "dictionary of transforms": (
        "class Shift:\n    def move(self, x):\n        return x + np.random.rand()\n\n\n"
        "class Rows(Dataset):\n    def __init__(self, steps: dict[str, Shift]):\n        self.steps = steps\n\n"
        "    def __getitem__(self, i):\n        for step in self.steps.values():\n            i = step.move(i)\n        return i\n"
    ),
    "dataloader that is a dataset": (
        "class Road_dataloader:\n    def __init__(self, files):\n        self.files = files\n\n    def __len__(self):\n"
        "        return len(self.files)\n\n    def __getitem__(self, idx):\n        return self.files[idx] + np.random.rand()\n"
    ),
    "stored key of jax": (
        "import jax\n\n\nclass Rows(Dataset):\n    def __init__(self):\n        self.key = jax.random.PRNGKey(0)\n\n"
        "    def __getitem__(self, i):\n        return jax.random.normal(self.key, (3,))\n"
    ),
}
UNAFFECTED = {
    "reseeded by a method": (
        "class Rows(Dataset):\n    def __init__(self):\n        self.rng = np.random.default_rng(0)\n\n    def set_seed(self, seed):\n"
        "        self.rng = np.random.default_rng(seed)\n\n    def __getitem__(self, i):\n        return self.rng.random()\n\n\n"
        "def init(worker_id):\n    get_worker_info().dataset.set_seed(torch.initial_seed() % 2**32)\n\n\n"
        "DataLoader(Rows(), num_workers=2, worker_init_fn=init)\n"
    ),
    "reseeded by a method, by names": (
        "class Rows(Dataset):\n    def __init__(self):\n        self.gen = random.Random(0)\n\n    def reset(self, seed):\n"
        "        self._reset(seed)\n\n    def _reset(self, seed):\n        self.gen.seed(seed)\n\n    def __getitem__(self, i):\n"
        "        return self.gen.random()\n\n\ndef init(worker_id):\n    info = get_worker_info()\n    data = info.dataset\n"
        "    data.reset(info.seed)\n\n\nDataLoader(Rows(), num_workers=2, worker_init_fn=init)\n"
    ),
    "reseeded by a function": (
        "class Rows(Dataset):\n    def __init__(self):\n        self.rng = np.random.RandomState(0)\n\n    def __getitem__(self, i):\n"
        "        return self.rng.rand()\n\n\ndef reseed(data, seed):\n    data.rng = np.random.RandomState(seed)\n\n\n"
        "def init(worker_id):\n    reseed(get_worker_info().dataset, torch.initial_seed() % 2**32)\n\n\n"
        "DataLoader(Rows(), num_workers=2, worker_init_fn=init)\n"
    ),
    "transform of a ready batch": (
        "class Dropout:\n    def __call__(self, pc):\n        for i in range(pc.size(0)):\n            pc[i] *= np.random.rand()\n        return pc\n\n\n"
        "def train(train_loader, model):\n    drop = Dropout()\n    for pc, y in train_loader:\n        pc = drop(pc)\n        model(pc)\n"
    ),
    "transform of a ready batch, method": (
        "class RandomScale:\n    def __call__(self, points):\n        return points * np.random.uniform(0.8, 1.2)\n\n\n"
        "class Trainer:\n    def __init__(self, loader):\n        self.loader = loader\n        self.scale = RandomScale()\n\n"
        "    def fit(self):\n        for step, (points, y) in enumerate(self.loader):\n            points = self.scale(points)\n"
    ),
    "sampler read in a stream": (
        "from torch.utils.data import Sampler\n\n\nclass Order(Sampler):\n    def __init__(self, n):\n        self.n, self.rng = n, np.random.default_rng(0)\n\n"
        "    def __iter__(self):\n        return iter(self.rng.permutation(self.n))\n\n\n"
        "class Stream(IterableDataset):\n    def __init__(self, rows):\n        self.rows, self.order = rows, Order(len(rows))\n\n"
        "    def __iter__(self):\n        for i in self.order:\n            yield self.rows[i]\n"
    ),
    "typer": (
        "import typer\n\n\nclass Rows(Dataset):\n    def __init__(self, steps=None):\n        self.steps = steps\n\n"
        "    def __getitem__(self, i):\n        return self.steps(i) if self.steps else i\n\n\n"
        "def run(steps: int = 3):\n    np.random.seed(0)\n    print(np.random.rand(), Rows(steps)[0])\n\n\n"
        "if __name__ == '__main__':\n    typer.run(run)\n"
    ),
    "own loader of batches": (
        "class BatchLoader:\n    def __init__(self, rows):\n        self.rows = rows\n\n    def __getitem__(self, index):\n"
        "        np.random.shuffle(self.rows)\n        return self.rows[0]\n"
    ),
}
NEAR = {
    "reseeded with a constant": UNAFFECTED["reseeded by a method"].replace(
        "torch.initial_seed() % 2**32", "0"
    ),
    "another method": UNAFFECTED["reseeded by a method"].replace(".set_seed(torch", ".set_size(torch"),
    "transform in a dataset, too": UNAFFECTED["transform of a ready batch, method"]
    + "\n\nclass Rows(Dataset):\n    def __init__(self):\n        self.scale = RandomScale()\n\n    def __getitem__(self, i):\n"
    "        return self.scale(i)\n",
}
DRAWS = ("SSF001", "SSF002", "SSF003")


@pytest.mark.parametrize("name", [*AFFECTED, *NEAR])
def test_worker_code_is_found(name: str, tmp_path: Path) -> None:
    assert any(entry.startswith(DRAWS) for entry in found(tmp_path, (AFFECTED | NEAR)[name]))


@pytest.mark.parametrize("name", UNAFFECTED)
def test_other_code_is_left_alone(name: str, tmp_path: Path) -> None:
    assert not any(entry.startswith(DRAWS) for entry in found(tmp_path, UNAFFECTED[name]))


def test_the_file_of_a_class_is_evidence(tmp_path: Path) -> None:
    source = HEAD + "class Jolt:\n    def __call__(self, value):\n        return value + np.random.rand()\n"
    for name, codes in {
        "transforms": ["SSF001"],
        "my_augmentations": ["SSF001"],
        "dataloader": ["SSF001"],
        "solver": [],
    }.items():
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        assert [finding.code for finding in lint([file]).findings] == codes


@pytest.mark.parametrize("draw", ["np.random.rand()", "scipy.stats.norm.rvs()"])
def test_one_generator_has_one_severity(draw: str, tmp_path: Path) -> None:
    (kind,) = found(tmp_path, "import scipy.stats\n" + read(f"return {draw}"))
    assert kind.endswith("warning")


def test_an_option_that_another_file_sets_counts(tmp_path: Path) -> None:
    transforms = (
        "class Jitter:\n    def __init__(self, sigma=None):\n        self.sigma = sigma\n\n    def __call__(self, image):\n"
        "        return image if self.sigma is None else image + np.random.normal(0, self.sigma)\n\n\nDEFAULT = [Jitter()]\n"
    )
    assert not found(tmp_path, "from transforms import Jitter\n\nSTEPS = [Jitter()]\n", transforms=transforms)
    passed = "from transforms import Jitter\n\nSTEPS = [Jitter(0.1)]\n"
    assert found(tmp_path, passed, transforms=transforms) == {"SSF001 warning"}


def test_a_part_that_is_kept_for_a_drawn_partner_is_not_a_kept_draw(tmp_path: Path) -> None:
    kept = (
        "class Masks(Dataset):\n    def __init__(self):\n        self.masks = {}\n\n    def mask(self, index):\n"
        "        mask = self.masks.get(index)\n        if mask is None:\n            mask = load(index)\n"
        "            self.masks[index] = mask\n        return mask\n\n    def __getitem__(self, index):\n"
        "        other = np.random.randint(100)\n        return self.mask(index), self.mask(other)\n"
    )
    assert found(tmp_path, kept) == {"SSF001 warning"}
    drawn = kept.replace("load(index)", "np.random.rand(8)")
    assert "SSF013 error" in found(
        tmp_path, drawn.replace("self.mask(index), self.mask(other)", "self.mask(index)")
    )
