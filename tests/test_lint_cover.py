"""What a bridge covers is no error, and only where it covers all uses of a class."""

import ast
import json
from collections import Counter
from pathlib import Path

import pytest

from seedsafe_lint import Report, cover, lint
from seedsafe_lint.cli import main
from seedsafe_lint.index import Values

CLASS = """\
import numpy as np
import seedsafe as ss
import seedsafe_torch
from seedsafe_torch import AugmentedDataset, AugmentedIterable, convert, loader
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset


class Noisy(Dataset):
    def __init__(self, n=8):
        self.n, self.rng = n, np.random.default_rng(0)

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return self.rng.random(3)  # draw


class Other(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.full(3, index)


class Jitter:
    def __call__(self, image):
        return image + np.random.normal(size=image.shape)  # draw


def jitter(image):
    return image + np.random.normal(size=image.shape)  # draw

"""

COVERED = {
    "dataset": "batches = loader(AugmentedDataset(Noisy(), seed=42, bridge=True), num_workers=2)  # by",
    "name": "base = Noisy()\ndataset = AugmentedDataset(base, seed=42, bridge=True)  # by\nloader(dataset)",
    "reassigned": "data = Noisy()\ndata = AugmentedDataset(data, seed=42, bridge=True)  # by\nbatches = loader(data)",
    "torch's loader": "DataLoader(AugmentedDataset(Noisy(), seed=42, bridge=True), num_workers=2)  # by",
    "options of a bridge": "AugmentedDataset(Noisy(), seed=42, bridge=ss.Bridge(opencv=True))  # by",
    "module": "seedsafe_torch.AugmentedDataset(Noisy(), seed=42, bridge=True)  # by",
    "module's alias": "import seedsafe_torch as st\n\nst.AugmentedDataset(Noisy(), seed=42, bridge=True)  # by",
    "alias": "from seedsafe_torch import AugmentedDataset as Keyed\n\nKeyed(Noisy(), seed=42, bridge=True)  # by",
    "keyword": "AugmentedDataset(seed=42, bridge=True, base=Noisy())  # by",
    "a split": "from torch.utils.data import random_split\n\none, two = random_split(Noisy(), [4, 4])\n"
    "batches = loader(AugmentedDataset(one, seed=42, bridge=True))  # by",
    "a subclass of the bridge": "class Keyed(AugmentedDataset):\n    def __init__(self, base):\n"
    "        super().__init__(base, seed=42, bridge=True)  # by\n\n\nbatches = loader(Keyed(Noisy()))",
    "subset": "AugmentedDataset(Subset(Noisy(), [1, 2]), seed=42, bridge=True)  # by",
    "several": "AugmentedDataset(ConcatDataset([Noisy(), Noisy()]), seed=42, bridge=True)  # by",
    "sum": "AugmentedDataset(Noisy() + Noisy(), seed=42, bridge=True)  # by",
    "wrapper": (
        "class Cut(Dataset):\n    def __init__(self, inner):\n        self.inner = inner\n\n    def __getitem__(self, index):\n"
        "        return self.inner[index][:2]\n\n\nAugmentedDataset(Cut(Noisy()), seed=42, bridge=True)  # by"
    ),
    "function": (
        "def make(dataset, seed):\n    return loader(AugmentedDataset(dataset, seed=seed, bridge=True))  # by\n\n\n"
        "def main():\n    for batch in make(Noisy(), 42):\n        print(batch)\n\n\nif __name__ == '__main__':\n    main()"
    ),
    "function's option": (
        "def make(dataset, bridge=False):\n    return loader(AugmentedDataset(dataset, seed=1, bridge=bridge))  # by\n\n\n"
        "make(Noisy(), bridge=True)"
    ),
    "function that returns": "def base():\n    return Noisy()\n\n\nAugmentedDataset(base(), seed=42, bridge=True)  # by",
    "function that nothing calls": "def batches():\n    return loader(AugmentedDataset(Noisy(), seed=1, bridge=True))  # by",
    "configuration": (
        "CONFIG = {'data': Noisy, 'seed': 42, 'bridge': True, 'shuffle': False}\n"
        "AugmentedDataset(CONFIG['data'](), seed=CONFIG['seed'], bridge=CONFIG['bridge'])  # by"
    ),
    "spread configuration": "OPTIONS = dict(seed=42, bridge=True)\nAugmentedDataset(Noisy(), **OPTIONS)  # by",
    "configured object": (
        "config = {'train': Noisy(), 'bridge': {'seed': 1, 'bridge': True}}\n"
        "AugmentedDataset(config['train'], **config['bridge'])  # by"
    ),
    "dataclass": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    data: Dataset\n    bridge: bool = True\n\n\n"
        "config = Config(Noisy())\nAugmentedDataset(config.data, seed=42, bridge=config.bridge)  # by"
    ),
    "partial": (
        "from functools import partial\n\nkeyed = partial(AugmentedDataset, seed=42, bridge=True)\nkeyed(Noisy())  # by"
    ),
    "module of data": (
        "from lightning import LightningDataModule\n\n\nclass Data(LightningDataModule):\n    def setup(self, stage):\n"
        "        self.train = Noisy()\n\n    def train_dataloader(self):\n"
        "        return loader(AugmentedDataset(self.train, seed=42, bridge=True), num_workers=2)  # by"
    ),
    "module of data, made": (
        "from lightning import LightningDataModule, Trainer\n\n\nclass Data(LightningDataModule):\n"
        "    def __init__(self, base):\n        super().__init__()\n        self.base = base\n\n    def setup(self, stage):\n"
        "        self.train = self.base\n        self.train = AugmentedDataset(self.train, seed=42, bridge=True)  # by\n\n"
        "    def train_dataloader(self):\n        return loader(self.train, num_workers=2)\n\n\n"
        "Trainer().fit(None, Data(Noisy()))"
    ),
    "subclass": (
        "class Noisier(Noisy):\n    pass\n\n\nAugmentedDataset(Noisier(), seed=42, bridge=True)  # by"
    ),
    "subclass of the wrapper": (
        "class Keyed(AugmentedDataset):\n    def __init__(self):\n"
        "        super().__init__(Noisy(), seed=42, bridge=True)  # by\n\n\nloader(Keyed())"
    ),
    "sequence": "from seedsafe_keras import AugmentedSequence\n\nAugmentedSequence(Noisy(), seed=42, bridge=True)  # by",
    "keyed": (
        "class Read(Dataset):\n    def __init__(self):\n        self.base = Noisy()\n\n    def __getitem__(self, index):\n"
        "        with ss.keyed(ss.SampleKey(1, 0, index)):  # by\n            return self.base[index]\n\n\nDataLoader(Read())"
    ),
}
TRANSFORMS = {
    "transform": "ss.Compose([ss.RandomCrop(2), ss.bridge(Jitter())])  # by",
    "function": "augment = ss.Compose([ss.bridge(jitter)])  # by",
    "converted": "augment = convert(Jitter())  # by",
    "iterable": "AugmentedIterable([1, 2], jitter, seed=42)  # by",
    "of a dataset": (
        "class Images(Dataset):\n    def __init__(self, transform):\n        self.transform = transform\n\n"
        "    def __getitem__(self, index):\n        return self.transform(np.zeros(3))\n\n\n"
        "AugmentedDataset(Images(transform=jitter), seed=1, bridge=True)  # by"
    ),
    "made in a dataset": (
        "class Images(Dataset):\n    def __init__(self):\n        self.transform = Jitter()\n\n"
        "    def __getitem__(self, index):\n        return self.transform(np.zeros(3))\n\n\n"
        "AugmentedDataset(Images(), seed=1, bridge=True)  # by"
    ),
}


def linted(folder: Path, source: str, **others: str) -> Report:
    for name, text in {"data": source, **others}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    report = lint([folder])
    assert not report.skipped
    return report


def lines(source: str, mark: str) -> list[int]:
    return [number for number, line in enumerate(source.split("\n"), 1) if line.endswith(f"# {mark}")]


@pytest.mark.parametrize("name", COVERED)
def test_a_bridge_covers_a_dataset(name: str, tmp_path: Path) -> None:
    source = CLASS + COVERED[name] + "\n"
    report = linted(tmp_path, source)
    assert [str(f) for f in report.findings if f.code == "SSF002"] == []
    assert [(f.code, f.place.line, by.line) for f, by in report.covered if f.code == "SSF002"] == [
        ("SSF002", lines(source, "draw")[0], lines(source, "by")[0])
    ]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_bridge_covers_a_transform(name: str, tmp_path: Path) -> None:
    source = CLASS + TRANSFORMS[name] + "\n"
    report = linted(tmp_path, source)
    draw = lines(source, "draw")[2 if "jitter" in TRANSFORMS[name] else 1]
    assert draw not in {f.place.line for f in report.findings}
    assert {by.line for f, by in report.covered if f.place.line == draw} <= {*lines(source, "by")}


OPEN = {
    "no bridge": "loader(AugmentedDataset(Noisy(), seed=42))",
    "bridge off": "loader(AugmentedDataset(Noisy(), seed=42, bridge=False))",
    "bridge of unknown worth": "import sys\n\nloader(AugmentedDataset(Noisy(), seed=42, bridge=len(sys.argv) > 1))",
    "configured off": "OPTIONS = {'seed': True, 'bridge': False}\nloader(AugmentedDataset(Noisy(), **OPTIONS))",
    "function's option": (
        "def make(dataset, bridge=True):\n    return loader(AugmentedDataset(dataset, seed=1, bridge=bridge))\n\n\n"
        "make(Noisy(), bridge=False)"
    ),
    "another class": "loader(AugmentedDataset(Other(), seed=42, bridge=True))\nDataLoader(Noisy(), num_workers=2)",
    "comment": "# loader(AugmentedDataset(Noisy(), seed=42, bridge=True))\nDataLoader(Noisy(), num_workers=2)",
    "text": "'''\nloader(AugmentedDataset(Noisy(), seed=42, bridge=True))\n'''\n",
    "dead": "if False:\n    loader(AugmentedDataset(Noisy(), seed=42, bridge=True))",
    "switched off": "KEYED = False\nif KEYED:\n    loader(AugmentedDataset(Noisy(), seed=42, bridge=True))",
    "dead loop": "while 0:\n    loader(AugmentedDataset(Noisy(), seed=42, bridge=True))",
    "after return": "def f():\n    return 1\n    AugmentedDataset(Noisy(), seed=42, bridge=True)\n\n\nf()",
    "another library": "from other import AugmentedDataset\n\nAugmentedDataset(Noisy(), seed=42, bridge=True)",
    "own class of that name": (
        "class AugmentedDataset:\n    def __init__(self, base, **options):\n        self.base = base\n\n\n"
        "DataLoader(AugmentedDataset(Noisy(), seed=42, bridge=True))"
    ),
    "converted alone": "loader(AugmentedDataset(Noisy(), seed=42, convert=True))",
    "epochs of a trainer": (
        "from seedsafe_torch.trainers.hugging_face import keyed\nfrom transformers import Trainer\n\n"
        "keyed(Trainer(train_dataset=Noisy()))"
    ),
}
WRAPPED = "loader(AugmentedDataset(Noisy(), seed=42, bridge=True), num_workers=2)\n"
BARE = {
    "loader": "DataLoader(Noisy(), num_workers=2)  # bare",
    "no bridge": "loader(AugmentedDataset(Noisy(), seed=42))  # bare",
    "name": "second = Noisy(4)\nloader(second, num_workers=2)  # bare",
    "never passed on": "second = Noisy(4)  # bare",
    "same object": "one = Noisy()\nloader(AugmentedDataset(one, seed=42, bridge=True))\nDataLoader(one)  # bare",
    "returned": "def base():\n    return Noisy()\n\n\nAugmentedDataset(base(), seed=42, bridge=True)\nDataLoader(base())  # bare",
    "function": "def make(data):\n    return DataLoader(data, num_workers=2)  # bare\n\n\nmake(Noisy())",
    "subset": "DataLoader(Subset(Noisy(), [1]))  # bare",
    "branch": "import sys\n\ndata = Noisy()\nif sys.argv:\n    data = AugmentedDataset(data, seed=1, bridge=True)\nDataLoader(data)  # bare",
    "trainer": "from transformers import Trainer\n\nTrainer(train_dataset=Noisy())  # bare",
    "module of data": (
        "from lightning import LightningDataModule\n\n\nclass Data(LightningDataModule):\n    def setup(self, stage):\n"
        "        self.val = Noisy()\n\n    def val_dataloader(self):\n        return DataLoader(self.val)  # bare"
    ),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_no_bridge_covers_stays(name: str, tmp_path: Path) -> None:
    report = linted(tmp_path, CLASS + OPEN[name] + "\n")
    assert [f.severity for f in report.findings if f.code == "SSF002"] == ["error"]
    assert not [pair for pair in report.covered if pair.finding.code == "SSF002"]
    assert main([str(tmp_path)]) == 1


@pytest.mark.parametrize("name", BARE)
def test_a_second_use_without_a_bridge_is_the_finding(name: str, tmp_path: Path) -> None:
    source = CLASS + WRAPPED + BARE[name] + "\n"
    (finding,) = (f for f in linted(tmp_path, source).findings if f.code == "SSF002")
    assert finding.place.line == lines(source, "bare")[0]
    assert finding.severity == "error"
    assert finding.related
    assert finding.related.line == lines(source, "draw")[0]
    assert f"the bridge of {tmp_path / 'data.py'}:" in finding.message


def test_other_files_of_the_project_count(tmp_path: Path) -> None:
    train = "import data\nfrom seedsafe_torch import AugmentedDataset, loader\n\nloader(AugmentedDataset(data.Noisy(), seed=1, bridge=True))\n"
    report = linted(tmp_path, CLASS, train=train)
    assert [(f.code, by.path) for f, by in report.covered if f.code == "SSF002"] == [
        ("SSF002", str(tmp_path / "train.py"))
    ]
    make = "from data import Noisy\n\n\ndef make():\n    return Noisy()\n"
    other = "from torch.utils.data import DataLoader\nfrom make import make\n\nDataLoader(make())\n"
    report = linted(tmp_path, CLASS, train=train, make=make, other=other)
    assert [f.place.path for f in report.findings if f.code == "SSF002"] == [str(tmp_path / "other.py")]


def test_a_function_is_followed_once_for_the_same_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: Counter[str] = Counter()
    keep = cover._Followed.keep

    def count(self: cover._Followed, key: tuple[ast.FunctionDef], values: Values) -> None:
        followed[key[0].name] += 1
        keep(self, key, values)

    monkeypatch.setattr(cover._Followed, "keep", count)
    chain = "".join(f"def f{n}(data):\n    return f{n - 1}(f{n - 1}(data))\n\n\n" for n in range(1, 12))
    last = "AugmentedDataset(f11(Noisy()), seed=42, bridge=True)  # by\n"
    report = linted(tmp_path, f"{CLASS}def f0(data):\n    return data\n\n\n{chain}{last}")
    assert len([pair for pair in report.covered if pair.finding.code == "SSF002"]) == 1
    assert max(followed[f"f{n}"] for n in range(12)) <= 4


def test_only_files_that_can_see_a_finding_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    follow = cover._Uses.follow
    monkeypatch.setattr(
        cover._Uses, "follow", lambda self, files: (seen.update(p.stem for p in files), follow(self, files))
    )
    train = "from make import make\nfrom seedsafe_torch import AugmentedDataset\n\nAugmentedDataset(make(), seed=1, bridge=True)\n"
    make = "import data\n\n\ndef make():\n    return data.Noisy()\n"
    apart = "from seedsafe_torch import AugmentedDataset\n\nAugmentedDataset([1], seed=1, bridge=True)\n"
    report = linted(tmp_path, CLASS, train=train, make=make, apart=apart)
    assert [Path(by.path).stem for f, by in report.covered if f.code == "SSF002"] == ["train"]
    assert "apart" not in seen


def test_a_bridge_reaches_opencv_only_if_asked(tmp_path: Path) -> None:
    source = CLASS.replace("import numpy", "import cv2\nimport numpy").replace(
        "self.rng.random(3)", "cv2.randu(0, 0, 1)"
    )
    for bridge, found in (("True", ["SSF003"]), ("ss.Bridge(opencv=True)", [])):
        report = linted(tmp_path, source + f"AugmentedDataset(Noisy(), seed=1, bridge={bridge})\n")
        assert [f.code for f in report.findings if f.code == "SSF003"] == found


def test_a_constant_generator_made_in_a_read_is_not_keyed(tmp_path: Path) -> None:
    source = CLASS.replace("self.rng.random(3)", "np.random.default_rng(0).random(3)")
    report = linted(tmp_path, source + WRAPPED)
    assert [f.code for f in report.findings if f.code == "SSF004"] == ["SSF004"]


def test_a_comment_silences_a_use_without_a_bridge(tmp_path: Path) -> None:
    source = CLASS + WRAPPED + "DataLoader(Noisy())  # noqa: SSF002\n"
    assert "SSF002" not in {f.code for f in linted(tmp_path, source).findings}


def test_reports_list_what_is_covered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.py").write_text(CLASS.partition("class Jitter")[0] + WRAPPED)
    assert main([str(tmp_path), "--strict"]) == 0
    out = capsys.readouterr().out
    assert f"data.py:16:16: SSF002 covered by {tmp_path / 'data.py'}:27:8\nAll checks passed!" in out
    assert main([str(tmp_path), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["severity"], entry["covered_by"]["row"]) == ("covered", 27)
    assert main([str(tmp_path), "--format", "sarif"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["suppressions"][0]["justification"].endswith("data.py:27:8")
