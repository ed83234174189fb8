"""``seedsafe demo``: crops of usual and keyed code.

Worker processes read two datasets, as those of a DataLoader do.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from seedsafe import Compose, RandomCrop, SampleKey
from seedsafe.ground.commands import check_output
from seedsafe_look.options import FORMATS, run
from seedsafe_look.options import demo as parser

__all__ = ["main"]

_SIDE, _CROP = 1224, 224
_EACH, _EPOCHS = 4, 2

Corner = tuple[int, int]


class Usual:
    """A dataset as people often write it: it keeps a generator, and each worker gets a copy of that."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def crop(self, epoch: int, index: int) -> Corner:
        """Return the corner of a sample's crop."""
        top, left = self.rng.integers(0, _SIDE - _CROP + 1, 2)
        return int(top), int(left)


class Keyed:
    """The same dataset with a pipeline, which draws by the sample's key."""

    def __init__(self) -> None:
        self.augment = Compose([RandomCrop(_CROP)])

    def crop(self, epoch: int, index: int) -> Corner:
        """Return the corner of a sample's crop."""
        ((_, params),) = self.augment.params(SampleKey(42, epoch, index), (_SIDE, _SIDE))
        return params.top, params.left


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `demo`.

    Returns:
        0, or 1 if the keyed crops depend on the number of workers, which would be an error of this library, or 2 if the image
        cannot be read or the output cannot be written.

    Example:
        >>> main([])  # doctest: +ELLIPSIS
        16 samples, read in two epochs by 4 worker processes: where is each cropped?
        ...
        0
    """
    return run("demo", _show, parser().parse_args(argv))


def _show(options: Any) -> int:
    image = _image(options)
    samples = _EACH * options.workers
    usual = _read(Usual(), options.workers, samples)
    keyed = _read(Keyed(), options.workers, samples)
    alike = all(_read(Keyed(), workers, samples) == keyed for workers in (0, 2))
    facts = {
        "workers": options.workers,
        "epochs": _EPOCHS,
        "samples": samples,
        "usual": {"crops": usual, "repeats": _repeats(usual)},
        "seedsafe": {"crops": keyed, "repeats": _repeats(keyed), "equal_for_0_and_2_workers": alike},
    }
    if image is not None:
        _write(image, facts, options.output or "demo.png")
        print(f"Wrote {options.output or 'demo.png'}.", file=sys.stderr)
    print(json.dumps(facts) if options.json else _as_text(facts))
    return 0 if alike else 1


def _image(options: Any) -> Any:
    """Return the image of the options, if any, after a look at where the output goes."""
    from seedsafe.data.folder.read import read_image

    if options.output is not None:
        if Path(options.output).suffix.lower() not in FORMATS[1:]:
            raise ValueError(f"--output must end in {', '.join(FORMATS[1:])}, got {options.output!r}")
        check_output("--output", options.output)
        if options.image is None:
            raise ValueError("--output needs --image: pass a photograph of yours, --image FILE")
    try:
        return None if options.image is None else read_image(options.image)
    except (ValueError, OSError) as error:
        fault = str(error).partition(": leave it out")[0]
        raise ValueError(f"{fault}: pass another photograph, --image FILE") from error


def _write(image: Any, facts: dict[str, Any], output: str) -> None:
    """Write crops of half the image's height and width, at the corners of the text in its proportions."""
    from seedsafe_look.page import fit
    from seedsafe_look.picture import Cell
    from seedsafe_look.show import draw  # which needs matplotlib

    height, width = ((side + 1) // 2 for side in image.shape[:2])
    rows = []
    for name, title in (("usual", "usual code"), ("seedsafe", "seedsafe")):
        for epoch, crops in enumerate(facts[name]["crops"]):
            cells = []
            for worker, corner in enumerate(crops[: facts["workers"]]):
                shares = (place / (_SIDE - _CROP) for place in corner)
                top, left = (round(s * (n // 2)) for s, n in zip(shares, image.shape[:2], strict=True))
                part = image[top : top + height, left : left + width]
                cells.append(Cell(f"{title}, epoch {epoch}, worker {worker}", fit(part, 224), []))
            rows.append(cells)
    draw(
        rows, f"{facts['usual']['repeats']} of {facts['samples'] * _EPOCHS} crops of the usual code repeat"
    ).savefig(output, bbox_inches="tight")


def _read(dataset: Usual | Keyed, workers: int, samples: int) -> list[list[Corner]]:
    """Return the crops of each epoch in the order of the samples. Worker w reads the samples w, w + workers …"""
    if not workers:
        return [[dataset.crop(epoch, index) for index in range(samples)] for epoch in range(_EPOCHS)]
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    epochs = []
    for epoch in range(_EPOCHS):
        # Each call gets a copy of the dataset, as each worker of a DataLoader does.
        calls = [(dataset, epoch, range(worker, samples, workers)) for worker in range(workers)]
        with context.Pool(workers) as pool:
            shares = pool.starmap(_crops, calls, chunksize=1)
        epochs.append([shares[index % workers][index // workers] for index in range(samples)])
    return epochs


def _crops(dataset: Usual | Keyed, epoch: int, indices: Iterable[int]) -> list[Corner]:
    return [dataset.crop(epoch, index) for index in indices]


def _repeats(crops: list[list[Corner]]) -> int:
    flat = [one for epoch in crops for one in epoch]
    return len(flat) - len(set(flat))


def _as_text(facts: dict[str, Any]) -> str:
    samples, workers = facts["samples"], facts["workers"]
    lines = [f"{samples} samples, read in two epochs by {workers} worker processes: where is each cropped?"]
    alike = "; the same crops with 0 and 2 workers" if facts["seedsafe"]["equal_for_0_and_2_workers"] else ""
    usual = "usual code: self.rng = np.random.default_rng(0)"
    for name, title, more in (("usual", usual, ""), ("seedsafe", "seedsafe", alike)):
        total, repeats = samples * facts["epochs"], facts[name]["repeats"]
        lines += ["", f"{title}: {repeats} of {total} crops repeat an earlier one{more}"]
        lines.append((" " * 9 + "".join(f"{f'worker {worker}':<13}" for worker in range(workers))).rstrip())
        for epoch, crops in enumerate(facts[name]["crops"]):
            for number in range(2):  # two of each worker's samples
                row = (f"{crops[number * workers + worker]!s:<13}" for worker in range(workers))
                lines.append(f"{'' if number else f'epoch {epoch}':9}" + "".join(row).rstrip())
    end = "Is your code affected?   seedsafe check src/ data.py:dataset"
    return "\n".join([*lines, "", end])
