"""``make demo`` and ``make proof``: real photographs and speech through the usual code and through seedsafe."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from torch.utils.data import DataLoader

import seedsafe as ss
import seedsafe_keras
from demo import inputs, keyed, usual
from demo.measure import Run, keras_run, replay, torch_run

SIZE, EPOCHS, BATCH = 64, 2, 50
WORKERS = (0, 2, 4)
PICTURE = Path("out/demo.png")
STRIP = Path("out/workers.jpg")  # docs/workers.jpg is a copy


def main(argv: list[str] | None = None) -> None:
    """Load real photographs and speech with the usual code and with seedsafe, and count what comes twice."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=main.__doc__)
    parser.add_argument(
        "--proof", action="store_true", help="ten times the samples, and the speed of each loader"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures of the tables here")
    options = parser.parse_args(argv)
    start = time.perf_counter()
    console = Console(width=None if sys.stdout.isatty() else 110)
    torch.set_num_threads(1)
    # Both frameworks fork processes that have threads, and Python warns of that from 3.12 on.
    warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="This DataLoader will create", category=UserWarning)
    photographs = inputs.tiles(2000 if options.proof else 200)
    clips = inputs.speech_windows(500 if options.proof else 100)
    console.print(
        f"[bold]seedsafe[/]: {len(photographs)} tiles of real photographs and {len(clips)} windows of real speech, "
        f"{EPOCHS} epochs, through torch {torch.__version__} and Keras {keras.__version__}\n"
    )
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("loading", total=31 if options.proof else 28)
        step = partial(progress.advance, bar)
        tables: dict[str, tuple[Table, Any]] = {
            "usual": repeats_table(photographs, clips, step),
            "seedsafe": keyed_table(photographs, clips, step),
        }
        if options.proof:
            tables["samples_per_second"] = speed_table(photographs, step)
        progress.update(bar, description="drawing")
        draw_picture()
        draw_strip()
    for table, _ in tables.values():
        console.print(table)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        figures = {"workers": WORKERS, **{name: data for name, (_, data) in tables.items()}}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    console.print(f"Pictures: {PICTURE}, {STRIP}   ({time.perf_counter() - start:.0f} s in all)")


def repeats_table(images: np.ndarray, clips: np.ndarray, step: Any) -> tuple[Table, dict[str, list[int]]]:
    """Return the repeated augmentations of the usual code, by code and number of workers, as a table and as numbers."""
    repeats: dict[str, list[int]] = {}
    table = Table(
        title=f"The usual code: how many augmentations came a second time in {EPOCHS} epochs",
        title_justify="left",
    )
    table.add_column("where its random numbers come from")
    for workers in WORKERS:
        table.add_column(f"{workers} workers", justify="right")
    total, heard = EPOCHS * len(images), EPOCHS * len(clips)
    torch_rows: list[tuple[str, Any, Any]] = [
        ("torch: np.random", usual.GlobalCrops, None),
        ("torch: self.rng = default_rng(0)", usual.StoredCrops, None),
        ("torch: self.rng = default_rng()", usual.UnseededCrops, None),
        ("torch: np.random, worker_init_fn of 2019", usual.GlobalCrops, usual.old_recipe),
    ]

    def add(name: str, total: int, runs: Any) -> None:
        counts = repeats[name] = []
        for run in runs:
            counts.append(run.repeats()[1])
            step()
        cells = [f"[{'red' if count else 'green'}]{count}[/] of {total}" for count in counts]
        table.add_row(name, *cells)

    for name, dataset, init in torch_rows:
        loaders = (
            DataLoader(dataset(images, SIZE), BATCH, shuffle=True, num_workers=w, worker_init_fn=init)
            for w in WORKERS
        )
        add(name, total, (torch_run(loading, EPOCHS) for loading in loaders))
    loaders = (DataLoader(usual.SegmentsStored(clips, 8192), BATCH, num_workers=w) for w in WORKERS)
    add("torch, speech: self.rng = default_rng(0)", heard, (torch_run(one, EPOCHS) for one in loaders))
    for name, sequence in (
        ("Keras processes: np.random", usual.SequenceGlobal),
        ("Keras processes: self.rng = default_rng(0)", usual.SequenceStored),
    ):
        sequences = (sequence(images, SIZE, BATCH, workers=w, use_multiprocessing=w > 0) for w in WORKERS)
        add(name, total, (keras_run(_plain_fit, one, EPOCHS) for one in sequences))
    return table, repeats


def _plain_fit(model: Any, sequence: Any, **options: Any) -> None:
    model.fit(sequence, **options)


def keyed_table(images: np.ndarray, clips: np.ndarray, step: Any) -> tuple[Table, list[dict[str, Any]]]:
    """Return seedsafe's repeats and hashes, by framework and number of workers, as a table and as data."""
    table = Table(
        title="seedsafe: none comes a second time, and every loader gives the same bytes (their hashes)",
        title_justify="left",
    )
    for heading in ("loader", "workers", "came twice", "photographs", "speech"):
        table.add_column(heading, justify="right" if heading in ("workers", "came twice") else "left")
    crops, sounds = keyed.image_augmentation(SIZE), keyed.audio_augmentation(8192)
    rows: list[dict[str, Any]] = []

    def add(name: str, workers: int, of_images: Run, of_speech: Run) -> None:
        repeats = of_images.repeats()[1] + of_speech.repeats()[1]
        hashes = {"photographs": of_images.digest(), "speech": of_speech.digest()}
        rows.append({"loader": name, "workers": workers, "repeats": repeats, **hashes})
        table.add_row(name, str(workers), str(repeats), *hashes.values())
        step()

    for workers in WORKERS:
        of_images, of_speech = (
            replay(
                torch_run(
                    keyed.torch_loader(samples, augment, batch_size=BATCH, shuffle=True, num_workers=workers),
                    EPOCHS,
                ),
                samples,
                augment,
            )
            for samples, augment in ((images, crops), (clips, sounds))
        )
        add("torch DataLoader", workers, of_images, of_speech)
    for workers, processes in ((0, False), (2, True), (4, True), (4, False)):
        options = {"shuffle": True, "workers": workers, "use_multiprocessing": processes}
        of_images, of_speech = (
            replay(
                keras_run(
                    seedsafe_keras.fit,
                    keyed.keras_sequence(samples, augment, batch_size=BATCH, **options),
                    EPOCHS,
                ),
                samples,
                augment,
            )
            for samples, augment in ((images, crops), (clips, sounds))
        )
        kind = ("processes" if processes else "threads") if workers else "training process"
        add(f"Keras fit, {kind}", workers, of_images, of_speech)
    digests = {(row["photographs"], row["speech"]) for row in rows}
    table.caption = "all equal" if len(digests) == 1 else f"NOT EQUAL: {len(digests)} different streams"
    if len(digests) > 1:
        raise SystemExit(f"the streams differ: {sorted(digests)}")
    return table, rows


def speed_table(images: np.ndarray, step: Any) -> tuple[Table, dict[str, list[float]]]:
    """Return the loaders' samples a second without augmentation, with the usual one, and keyed."""
    table = Table(
        title=f"torch, samples a second (80² → {SIZE}² uint8, best of 3 epochs, in turn)",
        title_justify="left",
    )
    table.add_column("")
    for workers in WORKERS:
        table.add_column(f"{workers} workers", justify="right")
    makers = {
        "no augmentation": lambda w: DataLoader(
            usual.Plain(images), BATCH, num_workers=w, persistent_workers=w > 0
        ),
        "seedsafe, empty pipeline": lambda w: keyed.torch_loader(
            images, ss.Compose([]), batch_size=BATCH, num_workers=w, persistent_workers=w > 0
        ),
        "usual crop, flip and noise": lambda w: DataLoader(
            usual.StoredCrops(images, SIZE), BATCH, num_workers=w, persistent_workers=w > 0
        ),
        "seedsafe crop, flip and noise": lambda w: keyed.torch_loader(
            images, keyed.image_augmentation(SIZE), batch_size=BATCH, num_workers=w, persistent_workers=w > 0
        ),
    }
    rates: dict[str, list[float]] = {name: [] for name in makers}
    for workers in WORKERS:
        loaders = {name: make(workers) for name, make in makers.items()}
        best = dict.fromkeys(makers, 0.0)
        for _ in range(3):
            for name, loading in loaders.items():
                best[name] = max(best[name], torch_run(loading, 1).rate())
        for name, rate in best.items():
            rates[name].append(rate)
        step()
    for name, figures in rates.items():
        table.add_row(name, *(f"{rate:,.0f}" for rate in figures))
    plain, empty = rates["no augmentation"], rates["seedsafe, empty pipeline"]
    table.add_row(
        "cost of keys and order",
        *(
            f"{1e6 * (1 / e - 1 / p):+.1f} µs ({100 * (p / e - 1):+.0f} %)"
            for p, e in zip(plain, empty, strict=True)
        ),
        style="bold",
    )
    return table, rates


def draw_picture() -> None:
    """Write the picture: each of four workers reads four photographs, in two epochs."""
    from demo.picture import draw

    photographs, workers, size = inputs.photographs(), 4, 176
    names = ("astronaut", "chelsea", "coffee", "flower")
    images = np.stack([inputs.square(photographs[name], 256) for name in names] * workers)
    augment = keyed.image_augmentation(size)
    usual_loader = DataLoader(usual.StoredCrops(images, size), len(names), num_workers=workers)
    keyed_loader = keyed.torch_loader(images, augment, batch_size=len(names), num_workers=workers)
    panels: dict[str, Run] = {
        "usual code: self.rng = np.random.default_rng(0)": torch_run(usual_loader, 2),
        "seedsafe": replay(torch_run(keyed_loader, 2), images, augment),
    }
    draw(panels, len(names), PICTURE)


def draw_strip() -> None:
    """Write the picture of the README: each of four workers reads one photograph, in two epochs."""
    from demo import picture

    workers, size = 4, 176
    images = np.stack([inputs.square(inputs.photographs()["chelsea"], 256)] * workers)
    usual_loader = DataLoader(usual.StoredCrops(images, size), 1, num_workers=workers)
    augment = keyed.image_augmentation(size)
    keyed_loader = keyed.torch_loader(images, augment, batch_size=1, num_workers=workers)
    panels = {
        "usual code": torch_run(usual_loader, 2),
        "seedsafe": replay(torch_run(keyed_loader, 2), images, augment),
    }
    picture.draw_strip(panels, STRIP)


if __name__ == "__main__":
    main()
