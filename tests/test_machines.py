"""What one machine makes and another goes on with: batches, saved states, indices of folders.

Digests and files are of x86-64; ``make test-arm`` runs this on aarch64.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import python

import seedsafe as ss
from seedsafe.audio import options

MADE = Path(__file__).parent / "machines"
FINGERPRINT = "4011b1a7c27e454902984e05016aa2dc"
SIDE, COUNT = 40, 48


def images() -> np.ndarray:
    """Return images of which each value is known."""
    values = np.arange(COUNT * SIDE * SIDE * 3, dtype=np.int64) * 2654435761 % 251
    return values.astype(np.uint8).reshape(COUNT, SIDE, SIDE, 3)


def augment() -> ss.Compose:
    """Return a pipeline that is exact on every machine, in integers and floats."""
    return ss.Compose(
        [
            ss.RandomResizedCrop(32, interpolation="bilinear exact"),
            ss.HorizontalFlip(),
            ss.HueSaturationValue(),
            ss.GaussianNoise(std=(1, 9)),
            ss.Normalize((0.5,) * 3, (0.25,) * 3),
            ss.ToCHW(),
        ]
    )


def batches(**options: Any) -> Any:
    from seedsafe_torch import AugmentedDataset, loader

    return loader(AugmentedDataset(images(), augment(), seed=42), batch_size=8, **options)


def paths() -> dict[str, str]:
    """Return the environment of a process that finds this tree."""
    root = MADE.parents[1]
    folders = [str(root), str(root / "adapters"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(folders)}


def digest(passes: Any) -> str:
    total = hashlib.sha256()
    for batch in passes:
        total.update(batch.numpy().tobytes())
    return total.hexdigest()[:16]


def workers() -> list[dict[str, Any]]:
    """Return no workers, and two with each start method."""
    methods = [one for one in multiprocessing.get_all_start_methods() if one != "forkserver"]
    return [{"num_workers": 0}, *({"num_workers": 2, "multiprocessing_context": one} for one in methods)]


@pytest.mark.parametrize("options", workers(), ids=lambda one: one.get("multiprocessing_context", "none"))
def test_batches(options: dict[str, Any]) -> None:
    assert digest(batches(**options)) == json.loads((MADE / "epochs.json").read_text())["first"]


@pytest.mark.linux
def test_batches_in_place() -> None:
    made = batches(num_workers=2, multiprocessing_context="fork", in_place=True)
    assert digest(made) == json.loads((MADE / "epochs.json").read_text())["first"]


def test_a_script_that_starts_workers_where_it_is_imported(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from seedsafe_torch import AugmentedDataset, loader\n"
        "dataset = AugmentedDataset(np.zeros((8, 8, 8, 3), np.uint8), seed=1)\n"
        "print(len(list(loader(dataset, batch_size=4, num_workers=1, multiprocessing_context='spawn'))))\n"
    )
    done = python(script, env=paths(), check=False)
    assert done.returncode == 1
    assert 'put its last part below `if __name__ == "__main__":`' in done.stderr


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_what_has_no_wheel_says_so(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: "aarch64" if system == "linux" else "arm64")
    monkeypatch.setattr(options, "find_spec", lambda _: None)
    for kind in (ss.TimeStretch, ss.PitchShift):
        options.need.cache_clear()
        with pytest.raises(ImportError) as error:
            ss.Compose([kind(sample_rate=16000)])
        way_out = "python-stretch, with a C++ compiler: it has no wheels for Linux on ARM"
        assert str(error.value).endswith(
            f"pip install {way_out if system == 'linux' else chr(34) + 'seedsafe[audio]' + chr(34)}"
        )
    options.need.cache_clear()


def test_a_state_saved_on_another_machine() -> None:
    """Its rest of the epoch, and the next epoch, are those that the other machine would have made."""
    stored = json.loads((MADE / "epochs.json").read_text())
    resumed = batches()
    resumed.load_state_dict(stored["state"])
    assert digest(resumed) == stored["rest"]
    assert digest(resumed) == stored["second"]


def test_an_index_of_a_folder_on_another_machine(tmp_path: Path) -> None:
    """It is read again, and equal, though the file is whole: the folder is another one."""
    for name in ("cat/2.png", "cat/1.png", "dog/ü.png"):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "photos" / name).touch()
    cache = Path(shutil.copy(MADE / "photos.index", tmp_path))
    index = ss.FolderIndex(tmp_path / "photos", cache=cache)
    assert cache.read_bytes() != (MADE / "photos.index").read_bytes()
    assert [index.relative(k) for k in range(3)] == ["cat/1.png", "cat/2.png", "dog/ü.png"]
    assert index.fingerprint == FINGERPRINT
    assert ss.FolderIndex(tmp_path / "photos", cache=cache).fingerprint == FINGERPRINT


def make() -> None:
    """Write the files of this folder: PYTHONPATH=adapters:. python tests/test_machines.py FOLDER."""
    import sys
    import tempfile

    MADE.mkdir(exist_ok=True)
    epoch = batches()
    first, second = digest(epoch), digest(epoch)
    begun = batches()
    reading = iter(begun)
    for _ in range(2):
        next(reading)
    state = begun.state_dict()
    rest = digest(reading)
    stored = {"first": first, "state": state, "rest": rest, "second": second}
    (MADE / "epochs.json").write_text(json.dumps(stored, indent=1) + "\n")
    root = Path(tempfile.mkdtemp())
    for name in ("cat/1.png", "cat/2.png", "dog/ü.png"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    print(ss.FolderIndex(root, cache=MADE / "photos.index").fingerprint, file=sys.stderr)
