"""``make bench``: where seedsafe wins and loses.

Installs the peers in environments of their own, measures, and prints a report. This module needs only the standard library, because
measurements and report run in those environments.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "out" / "benchmarks"
SHARED = ("numpy==2.4.6", "opencv-python-headless==5.0.0.93", "torch==2.13.0", "rich>=13")


class Environment(NamedTuple):
    """An environment to measure in: modules of benchmarks.peers, and the packages that they need."""

    peers: tuple[str, ...]
    packages: tuple[str, ...]
    without_dependencies: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its first package."""
        return self.packages[0].partition("=")[0]

    @property
    def folder(self) -> Path:
        """The folder of the environment."""
        return ROOT / ".venvs" / f"bench-{self.name}"


ENVIRONMENTS = (  # two, because albumentations and AlbumentationsX share their import name
    Environment(
        ("albumentations", "torchvision", "kornia", "pillow", "audiomentations", "imgaug"),
        (
            "albumentationsx==2.5.1",
            "kornia==0.9.0",
            "pillow==13.0.0",
            "audiomentations==0.43.1",
            "scikit-image==0.26.0",
            "imageio",
            "shapely",
            "six",
            "stringzilla>=5.3",
        ),
        ("torchvision==0.28.0", "imgaug==0.4.0"),  # they require torch's CUDA libraries, and a second OpenCV
    ),
    Environment(
        ("albumentations", "albumentations_bare"),
        ("albumentations==2.0.8", "stringzilla>=5.3", "scikit-image==0.26.0"),
    ),
    Environment((), ("tensorflow-cpu==2.21.0", "keras==3.15.1", "grain==0.2.18", "scikit-image==0.26.0")),
)
# The cases of benchmarks.in_place and the contenders, by environment.
LOADERS: dict[str, tuple[str, ...]] = {
    "albumentationsx": ("--cases", *map(str, range(10))),
    "albumentations": ("--cases", *map(str, range(4)), "--contenders", "in place", "albumentations"),
    "tensorflow-cpu": (
        *("--cases", *map(str, range(4))),
        *("--contenders", "in place", "Grain", "Keras sequence", "tf.data", "Keras layers"),
    ),
}


def main() -> None:
    """Install, measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="rounds, of which the fastest counts")
    parser.add_argument("--sizes", type=int, nargs="*", default=[32, 256, 512])
    parser.add_argument(
        "--only", default="", help="only the cases whose name contains this, and nothing else"
    )
    parser.add_argument(
        "--page",
        metavar="NOTE",
        help="measure transforms alone, and write docs/reference/speed.md with this note on the machine",
    )
    parser.add_argument(
        "--loaders",
        metavar="NOTE",
        help="measure whole loaders alone, and write docs/reference/loading.md with this note on the machine",
    )
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if options.loaders is None:
        for old in RESULTS.glob("*.json"):
            old.unlink()
    pythons = [_install(environment) for environment in ENVIRONMENTS]
    if options.loaders is not None:
        _measure_loaders(pythons, options.loaders)
        _run(pythons[0], "benchmarks.loading_page", options.loaders)
        return
    for python, environment in zip(pythons, ENVIRONMENTS, strict=True):
        if not environment.peers:
            continue
        pins = environment.packages + environment.without_dependencies + SHARED[:-1]
        print(f"Measuring beside {', '.join(environment.peers)} …", flush=True)
        _run(
            python,
            "benchmarks.run_env",
            *environment.peers,
            "--distributions",
            *(re.split("[<=>]", pin)[0] for pin in pins),
            "--rounds",
            str(options.rounds),
            "--sizes",
            *map(str, options.sizes),
            f"--only={options.only}",
            "--out",
            str(RESULTS / f"{environment.folder.name}.json"),
        )
    if options.page:
        tables = [
            str(RESULTS / f"{environment.folder.name}.json")
            for environment in ENVIRONMENTS
            if environment.peers
        ]
        _run(pythons[0], "benchmarks.page", options.page, *tables)
    if not (options.only or options.page):
        for name in (
            "keys",
            "import_time",
            "loader_overhead",
            "sample_checks",
            "bridge_cost",
            "converted",
            "clips",
            "partners",
        ):
            print(f"Measuring {name.replace('_', ' ')} …", flush=True)
            (RESULTS / f"{name}.json").write_text(_run(pythons[0], f"benchmarks.{name}", capture=True))
        _measure_loaders(pythons, "two cores")
    _run(pythons[0], "benchmarks.report", str(RESULTS))


def _measure_loaders(pythons: list[Path], note: str) -> None:
    """Measure whole loaders in each environment."""
    for python, environment in zip(pythons, ENVIRONMENTS, strict=True):
        print(f"Measuring loaders beside {environment.name} …", flush=True)
        figures = _run(python, "benchmarks.in_place", *LOADERS[environment.name], capture=True)
        (RESULTS / f"in_place-{environment.name}.json").write_text(figures)
    batches = []
    for python, environment in zip(pythons, ENVIRONMENTS, strict=True):
        if environment.name != "albumentations":  # which adds nothing to the first
            file = RESULTS / f"batches-{environment.name}.json"
            file.write_text(_run(python, "benchmarks.batches", capture=True))
            batches.append(str(file))
    _run(pythons[0], "benchmarks.batches", "--page", note, *batches)
    (RESULTS / "in_place_keras.json").write_text(_run(pythons[-1], "benchmarks.in_place_keras", capture=True))


def _install(environment: Environment) -> Path:
    """Return the interpreter of an environment, after creating it if it is missing or its packages have changed."""
    python, stamp = environment.folder / "bin" / "python", environment.folder / "installed"
    wanted = "\n".join((*environment.packages, *environment.without_dependencies, *SHARED))
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing {', '.join(environment.packages)} …", flush=True)
        venv.create(environment.folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, *environment.packages, *SHARED], check=True)
        if environment.without_dependencies:
            subprocess.run([*install, "--no-deps", *environment.without_dependencies], check=True)
        stamp.write_text(wanted)
    return python


def _run(python: Path, module: str, *arguments: str, capture: bool = False) -> str:
    variables = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "adapters", ROOT / "tools"))),
        "NO_ALBUMENTATIONS_UPDATE": "1",  # it asks the network for newer versions at import
        "PYTHONWARNINGS": "ignore",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    process = subprocess.run(
        [str(python), "-m", module, *arguments],
        cwd=ROOT,
        env=variables,
        text=True,
        stdout=subprocess.PIPE if capture else None,
        check=False,
    )
    if process.returncode:
        sys.exit(f"{module} failed")
    return process.stdout or ""


if __name__ == "__main__":
    main()
