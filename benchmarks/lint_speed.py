"""The linter's speed against ast.parse alone.

    python benchmarks/lint_speed.py [FOLDER ...]

Without folders it reads the standard library and the installed torch, keras and scikit-image. The two take turns on the same files in
one process, and the best of three counts; several processes are timed apart. The goal is a ratio of at least 1/3.
"""

import gc
import importlib.util
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from seedsafe_lint import Config, lint
from seedsafe_lint.engine import collect
from seedsafe_lint.source import UnreadableError, parse, read

ROUNDS = 3


def default_folders() -> list[Path]:
    folders = [Path(sysconfig.get_path("stdlib"))]
    for name in ("torch", "keras", "skimage"):
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            folders.append(Path(spec.origin).parent)
    return folders


def parse_alone(files: list[Path]) -> int:
    """Read and parse the files, and return the number of their lines."""
    lines = 0
    for file in files:
        try:
            text = read(file)
            parse(text)
        except UnreadableError:
            continue
        lines += text.count("\n") + 1
    return lines


def seconds(action: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    warnings.simplefilter("ignore")
    folders = [Path(argument) for argument in sys.argv[1:]] or default_folders()
    config = Config()
    print(
        f"{'folder':30} {'files':>6} {'lines':>9} {'parse s':>8} {'lint s':>8} {'ratio':>6} {'lines/s':>9} {'all cores s':>12}"
    )
    total = [0.0, 0.0]
    for folder in folders:
        files = [file for file in collect([folder], config) if "test" not in file.parts]
        lines = parse_alone(files)
        parsing, linting = float("inf"), float("inf")
        for _ in range(ROUNDS):
            parsing = min(parsing, seconds(lambda: parse_alone(files)))  # noqa: B023 - called at once
            linting = min(linting, seconds(lambda: lint(files, config=config)))  # noqa: B023
        several = seconds(lambda: lint(files, config=config, jobs=None))  # noqa: B023
        total = [total[0] + parsing, total[1] + linting]
        print(
            f"{folder.name:30} {len(files):6} {lines:9} {parsing:8.2f} {linting:8.2f} {parsing / linting:6.2f} "
            f"{lines / linting:9.0f} {several:12.2f}"
        )
    print(f"ratio over all: {total[0] / total[1]:.2f} (goal: at least 0.33)")


if __name__ == "__main__":
    main()
