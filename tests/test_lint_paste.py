"""The line that the linter prints for a rule's Example is pasted where its comment says: it runs, is silent, and draws as it should."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from test_lint_pages import block

torch = pytest.importorskip("torch")
import numpy as np
from torch.utils.data import DataLoader, Dataset

from seedsafe_lint import Finding, lint
from seedsafe_lint.config import Config
from seedsafe_lint.paste import line_to_paste

ROWS = [np.zeros(3) + n for n in range(8)]


class Drawing(Dataset[Any]):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return np.random.rand(3)


def findings(file: Path, source: str) -> list[Finding]:
    file.write_text(source, encoding="utf-8")
    report = lint([file], config=Config(select=("ALL",)))
    assert not report.skipped
    return list(report.findings)


def pasted(source: str, line: str) -> str:
    """Return a source with a line pasted in place of the line that its comment names."""
    (number,) = re.findall(r"# (?:line|.*in place of line) (\d+)", line)
    lines = source.split("\n")
    indent = re.match(r"\s*", lines[int(number) - 1])[0]  # type: ignore[index]
    lines[int(number) - 1] = indent + line
    return "\n".join(lines)


def loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def drawn(batches: Any, epochs: int = 2) -> int:
    """Return how many different samples two epochs have."""
    return len({row.tobytes() for _ in range(epochs) for batch in batches for row in np.asarray(batch)})


def cured(code: str, folder: Path, persistent: bool) -> tuple[ModuleType, list[str]]:
    """Return a rule's Example after pasting, as a module, and the lines that were pasted."""
    source = block(code, "Example")
    if persistent:
        source = re.sub(r"num_workers=\d", "num_workers=2, persistent_workers=True", source)
    file = folder / f"example_{code}_{persistent}.py"
    lines = []
    for _ in range(3):
        found = [finding for finding in findings(file, source) if finding.code == code]
        if not found:
            break
        lines.append(line_to_paste(found[0]))
        source = pasted(source, lines[-1])
    assert lines, "the Example fires"
    left = findings(file, source)
    assert [finding for finding in left if finding.severity == "error" or finding.code == code] == []
    return loaded(file), lines


@pytest.mark.fork
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("code", ["SSF001", "SSF002", "SSF004", "SSF017"])
def test_each_sample_of_two_epochs_is_another(code: str, persistent: bool, tmp_path: Path) -> None:
    module, _ = cured(code, tmp_path, persistent)
    batches = module.train_loader([row + 1 for row in ROWS])
    assert batches.num_workers == 2
    assert drawn(batches) == 16


@pytest.mark.fork
@pytest.mark.parametrize("persistent", [False, True])
def test_opencv_is_keyed_as_well(persistent: bool, tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    module, (line,) = cured("SSF003", tmp_path, persistent)
    assert "Bridge(opencv=True)" in line
    assert drawn(module.train_loader([np.full((9, 9, 3), 128, np.uint8) for _ in range(8)])) == 16


@pytest.mark.fork
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("code", ["SSF005", "SSF006", "SSF007"])
def test_workers_and_epochs_differ(code: str, persistent: bool, tmp_path: Path) -> None:
    module, lines = cured(code, tmp_path, False)
    init = module.train_loader(Drawing()).worker_init_fn
    assert (
        drawn(DataLoader(Drawing(), num_workers=2, worker_init_fn=init, persistent_workers=persistent)) == 16
    )
    assert "initial_seed" in lines[0]


@pytest.mark.fork
@pytest.mark.parametrize("code", ["SSF005", "SSF006", "SSF007"])
def test_persistent_workers_are_a_finding_only_if_they_repeat(code: str, tmp_path: Path) -> None:
    source = re.sub(r"num_workers=\d", "num_workers=2, persistent_workers=True", block(code, "Example"))
    file = tmp_path / f"kept_{code}.py"
    found = [finding.code for finding in findings(file, source)]
    assert found == ([code] if drawn(loaded(file).train_loader(Drawing())) < 16 else [])


@pytest.mark.fork
@pytest.mark.parametrize("persistent", [False, True])
def test_what_was_augmented_once_is_drawn_in_each_read(persistent: bool, tmp_path: Path) -> None:
    source, file = block("SSF021", "Example"), tmp_path / f"once_{persistent}.py"
    (finding,) = findings(file, source)
    line = line_to_paste(finding)
    assert line.endswith(", and call self.augment in each read")
    source = pasted(source, line).replace(
        "return self.signals[index]", "return self.augment(self.signals[index])"
    )
    assert findings(file, source) == []
    rows = loaded(file).Signals([torch.zeros(3) for _ in range(8)])
    assert drawn(DataLoader(rows, num_workers=2, persistent_workers=persistent)) == 16


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (
            "np.random.default_rng(0).random()",
            "return np.random.default_rng(torch.randint(2**32 - 1, ()).item()).random()  # line 9",
        ),
        (
            "torch.Generator().manual_seed(0)",
            "return torch.Generator().manual_seed(torch.randint(2**32 - 1, ()).item())  # line 9",
        ),
        ("self.kept.setdefault(index, random.random())", "return random.random()  # line 9"),
        (
            "self.kept.append(random.random()) or self.kept[index]",
            "# draw in each read, and keep nothing of it in self.kept",
        ),
    ],
)
def test_the_line_is_made_of_the_call_that_the_message_names(body: str, line: str, tmp_path: Path) -> None:
    head = "import random\nimport numpy as np\nimport torch\nfrom torch.utils.data import Dataset\n\n\n"
    source = f"{head}class D(Dataset):\n    def __getitem__(self, index):\n        return {body}\n"
    finding, *_ = findings(tmp_path / "data.py", source)
    assert line_to_paste(finding) == line


def test_a_seed_that_torch_sets_itself_is_deleted(tmp_path: Path) -> None:
    source = block("SSF006", "Example").replace("np.random.seed", "torch.manual_seed")
    source = source.replace("import numpy as np", "import torch")
    (finding,) = findings(tmp_path / "data.py", source)
    assert line_to_paste(finding).startswith("pass  # line 6: delete it, or write this")
    assert findings(tmp_path / "data.py", pasted(source, line_to_paste(finding))) == []


def test_an_epoch_begins_with_its_number(tmp_path: Path) -> None:
    source = block("SSF010", "Example").replace(
        "DistributedSampler(dataset)", "DistributedSampler(dataset, 1, 0)"
    )
    file = tmp_path / "sampling.py"
    (finding,) = findings(file, source)
    line = line_to_paste(finding)
    assert line == "sampler.set_epoch(epoch)  # the first line of the loop over epochs"
    source = source.replace("range(epochs):\n", f"range(epochs):\n        {line}\n")
    assert findings(file, source) == []
    seen: list[int] = []
    loaded(file).train(list(range(9)), 2, lambda batch: seen.extend(batch.tolist()))
    assert sorted(seen[:9]) == sorted(seen[9:])
    assert seen[:9] != seen[9:]


@pytest.mark.fork
def test_workers_count_together(tmp_path: Path) -> None:
    source, file = block("SSF013", "Example"), tmp_path / "counting.py"
    (finding,) = findings(file, source)
    line = line_to_paste(finding)
    assert line.endswith("  # in __init__")
    source = source.replace("self.total = 0.0", line)
    assert findings(file, source) == []
    images = loaded(file).Images(ROWS)
    for _ in DataLoader(images, num_workers=2):
        pass
    assert float(images.total) == sum(range(8))


def test_a_sample_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    module, _ = cured("SSF014", tmp_path, False)
    with pytest.raises(ValueError, match="sample 0 cannot be read"):
        module.Images([str(tmp_path / "none.png")])[0]


def test_the_seed_is_set_before_the_epochs(tmp_path: Path) -> None:
    source, file = block("SSF020", "Example"), tmp_path / "training.py"
    (finding,) = findings(file, source)
    line = line_to_paste(finding)
    lines = source.split("\n")
    (number,) = map(int, re.findall(r"in place of line (\d+)", line))
    del lines[number - 1]
    lines.insert(number - 2, f"    {line}")
    assert findings(file, "\n".join(lines)) == []
    seen: list[int] = []
    loaded(file).train(list(range(9)), 2, lambda batch: seen.extend(batch.tolist()))
    assert sorted(seen[:9]) == sorted(seen[9:])
    assert seen[:9] != seen[9:]


@pytest.mark.parametrize(
    ("draw", "line"),
    [
        ("import imgaug.augmenters as iaa\nFLIP = iaa.Fliplr(0.5)\n|FLIP(image=index)", "bridge=True"),
        ("import scipy.stats\n|scipy.stats.norm.rvs()", "bridge=True"),
        ("from skimage.util import random_noise\n|random_noise(index)", "bridge=True"),
        ("import cv2\n|cv2.randu(index, 0, 1)", "bridge=Bridge(opencv=True)"),
    ],
)
def test_the_line_fits_the_library(draw: str, line: str, tmp_path: Path) -> None:
    head, call = draw.split("|")
    source = f"{head}from torch.utils.data import Dataset\n\n\nclass D(Dataset):\n    def __getitem__(self, index):\n        return {call}\n"
    (finding,) = (f for f in findings(tmp_path / "data.py", source) if f.code == "SSF003")
    assert line in line_to_paste(finding)


@pytest.mark.parametrize(
    ("loaders", "line"),
    [
        ("DataLoader(A())\nDataLoader(B(), num_workers=2)", "loader({}, num_workers=2)  # line 18"),
        ("DataLoader(A()); x = DataLoader(B())", "x = loader({})  # line 17"),
        ("one = A()\ntwo = B()\nDataLoader(one)\ny = DataLoader(two)", "y = loader({})  # line 20"),
        ("def train(data):\n    return DataLoader(data)", "return loader({})  # line 18"),
    ],
)
def test_the_line_wraps_the_loader_of_the_class(loaders: str, line: str, tmp_path: Path) -> None:
    source = (
        "import numpy as np\nfrom torch.utils.data import DataLoader, Dataset\n\n\nclass A(Dataset):\n"
        "    def __getitem__(self, index):\n        return index\n\n\nclass B(Dataset):\n    def __getitem__(self, index):\n"
        f"        return index + np.random.rand()\n\n    def __len__(self):\n        return 8\n\n{loaders}\n"
    )
    (finding,) = findings(tmp_path / "data.py", source)
    base = next(name for name in ("two", "data", "B()") if f"DataLoader({name}" in loaders)
    wrapped = line.format(f"AugmentedDataset({base}, seed=42, bridge=True)")
    assert line_to_paste(finding) == f"from seedsafe_torch import AugmentedDataset, loader; {wrapped}"


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("batches = DataLoader(Noisy(), 4)", "line 3 of"),
        ("batches = DataLoader(\n    Noisy(),\n    4,\n)", "lines 3 to 6 of"),
        (
            "for batch in DataLoader(Noisy(), 4):\n    print(batch)",
            "before line 3, whose DataLoader it replaces of",
        ),
    ],
)
def test_the_line_is_that_of_the_file_that_loads(use: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        f"from torch.utils.data import DataLoader\nfrom data import Noisy\n{use}\n"
    )
    (tmp_path / "data.py").write_text(
        "import numpy as np\nfrom torch.utils.data import Dataset\n\n\nclass Noisy(Dataset):\n"
        "    def __len__(self):\n        return 8\n\n    def __getitem__(self, index):\n        return np.random.rand()\n"
    )
    (finding,) = lint([tmp_path]).findings
    wrapped = "batches = loader(AugmentedDataset(Noisy(), seed=42, bridge=True), 4)"
    imports = "from seedsafe_torch import AugmentedDataset, loader"
    assert line_to_paste(finding) == f"{imports}; {wrapped}  # {line} {tmp_path / 'train.py'}"


def test_the_line_for_keras_is_its_fit(tmp_path: Path) -> None:
    (finding,) = findings(
        tmp_path / "train.py",
        "import keras\nimport numpy as np\n\n\nclass Noisy(keras.utils.PyDataset):\n    def __getitem__(self, index):\n"
        "        return np.random.rand(4, 3)\n\n    def __len__(self):\n        return 8\n\n\n"
        "def train(model):\n    return model.fit(Noisy(), epochs=2)\n",
    )
    keyed = "fit(model, AugmentedSequence(Noisy(), seed=42, bridge=True), epochs=2)"
    assert (
        line_to_paste(finding)
        == f"from seedsafe_keras import AugmentedSequence, fit; return {keyed}  # line 14"
    )


def test_a_stream_makes_its_generator_in_each_pass(tmp_path: Path) -> None:
    source = (
        "import numpy as np\nimport torch\nfrom torch.utils.data import DataLoader, IterableDataset\n\n\n"
        "class Stream(IterableDataset):\n    def __init__(self):\n        self.rng = np.random.RandomState(0)\n\n"
        "    def __iter__(self):\n        for _ in range(8):\n            yield self.rng.rand(3)\n"
    )
    (finding,) = findings(tmp_path / "stream.py", source)
    first = "    def __iter__(self):\n"
    cured = source.replace(first, f"{first}        {line_to_paste(finding)}\n")
    assert not findings(tmp_path / "cured.py", cured)
    assert drawn(DataLoader(loaded(tmp_path / "cured.py").Stream(), batch_size=4, num_workers=2)) == 32


def test_a_transform_s_line_names_the_bridge(tmp_path: Path) -> None:
    source = "import numpy as np\n\n\nclass RandomNoise:\n    def __call__(self, image):\n        return image + np.random.rand()\n"
    (finding,) = findings(tmp_path / "transforms.py", source)
    assert "AugmentedDataset(dataset, seed=42, bridge=True)" in line_to_paste(finding)


def test_the_same_words_are_said_once(tmp_path: Path) -> None:
    from seedsafe_lint.findings import entries
    from seedsafe_lint.output import FORMATS

    source = block("SSF001", "Example")
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(source)
    report = lint([tmp_path])
    text = FORMATS["text"](report, entries(report.findings))
    assert len(report.findings) == 2
    assert text.count("torch >= 1.9 seeds it in each worker") == 1
