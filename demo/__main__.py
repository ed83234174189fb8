"""Run the demonstration: ``make demo``, or ``python -m demo``."""

from __future__ import annotations

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
from demo.measure import Run, keras_run, replayed, torch_run

TILES, SIZE, EPOCHS, BATCH = 2000, 64, 2, 50
WORKERS = (0, 2, 4)
PICTURE = Path("out/demo.png")


def main() -> None:
    """Measure, print and draw."""
    started = time.perf_counter()
    console = Console(width=None if sys.stdout.isatty() else 110)
    torch.set_num_threads(1)
    # Forking a process that has threads is what both frameworks do; Python warns of it from 3.12 on.
    warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="This DataLoader will create", category=UserWarning)
    photographs = inputs.tiles(TILES)
    clips = inputs.speech_windows(500)
    console.print(
        f"[bold]seedsafe[/]: {len(photographs)} tiles of real photographs and {len(clips)} windows of real speech, "
        f"{EPOCHS} epochs, through torch {torch.__version__} and Keras {keras.__version__}\n"
    )
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("loading", total=31)
        step = partial(progress.advance, bar)
        tables = [
            repeats_table(photographs, clips, step),
            *keyed_tables(photographs, clips, step),
            speed_table(photographs, step),
        ]
        progress.update(bar, description="drawing")
        draw_picture()
    for table in tables:
        console.print(table)
    console.print(f"Picture: {PICTURE}   ({time.perf_counter() - started:.0f} s in all)")


def repeats_table(images: np.ndarray, clips: np.ndarray, step: Any) -> Table:
    """Return how many augmentations the usual code repeats, by code and number of workers."""
    table = Table(title="The usual code: augmentations that repeat an earlier one", title_justify="left")
    table.add_column("where the generator is")
    for workers in WORKERS:
        table.add_column(f"{workers} workers", justify="right")
    table.add_column("today")
    total, heard = EPOCHS * len(images), EPOCHS * len(clips)
    torch_rows: list[tuple[str, Any, Any]] = [
        ("torch: np.random", usual.GlobalCrops, None),
        ("torch: self.rng = default_rng(0)", usual.StoredCrops, None),
        ("torch: self.rng = default_rng()", usual.UnseededCrops, None),
        ("torch: np.random, worker_init_fn of 2019", usual.GlobalCrops, usual.old_recipe),
    ]
    for name, made, init in torch_rows:
        table.add_row(
            name,
            *_cells(
                total,
                (
                    torch_run(
                        DataLoader(
                            made(images, SIZE), BATCH, shuffle=True, num_workers=w, worker_init_fn=init
                        ),
                        EPOCHS,
                    )
                    for w in WORKERS
                ),
                step,
            ),
        )
    table.add_row(
        "torch, speech: self.rng = default_rng(0)",
        *_cells(
            heard,
            (
                torch_run(DataLoader(usual.SegmentsStored(clips, 8192), BATCH, num_workers=w), EPOCHS)
                for w in WORKERS
            ),
            step,
        ),
    )
    for name, made in (
        ("np.random", usual.SequenceGlobal),
        ("self.rng = default_rng(0)", usual.SequenceStored),
    ):
        table.add_row(
            f"Keras processes: {name}",
            *_cells(
                total,
                (
                    keras_run(
                        lambda model, seq, **more: model.fit(seq, **more),
                        made(images, SIZE, BATCH, workers=w, use_multiprocessing=w > 0),
                        EPOCHS,
                    )
                    for w in WORKERS
                ),
                step,
            ),
        )
    return table


def _cells(total: int, runs: Any, step: Any) -> list[str]:
    cells, most = [], 0
    for run in runs:
        _, repeated = run.repeats()
        most = max(most, repeated)
        colour = "red" if repeated else "green"
        cells.append(f"[{colour}]{repeated}[/] of {total}")
        step()
    return [*cells, "[red]alive[/]" if most else "[green]cured[/]"]


def keyed_tables(images: np.ndarray, clips: np.ndarray, step: Any) -> list[Table]:
    """Return what seedsafe delivers: repeats and hashes by framework and number of workers."""
    table = Table(
        title="seedsafe: the same samples, shuffled; hashes of all bytes in their order", title_justify="left"
    )
    for heading in ("loader", "workers", "repeats", "photographs", "speech"):
        table.add_column(heading, justify="right" if heading in ("workers", "repeats") else "left")
    crops, sounds = keyed.image_augmentation(SIZE), keyed.audio_augmentation(8192)
    digests: set[tuple[str, str]] = set()
    for workers in WORKERS:
        of_images, of_speech = (
            replayed(
                torch_run(
                    keyed.torch_loader(samples, augment, batch_size=BATCH, shuffle=True, num_workers=workers),
                    EPOCHS,
                ),
                samples,
                augment,
            )
            for samples, augment in ((images, crops), (clips, sounds))
        )
        repeated = of_images.repeats()[1] + of_speech.repeats()[1]
        digests.add((of_images.digest(), of_speech.digest()))
        table.add_row("torch DataLoader", str(workers), str(repeated), of_images.digest(), of_speech.digest())
        step()
    for workers, processes in ((0, False), (2, True), (4, True), (4, False)):
        of_images, of_speech = (
            keras_run(
                seedsafe_keras.fit,
                keyed.keras_sequence(
                    samples,
                    augment,
                    batch_size=BATCH,
                    shuffle=True,
                    workers=workers,
                    use_multiprocessing=processes,
                ),
                EPOCHS,
            )
            for samples, augment in ((images, crops), (clips, sounds))
        )
        kind = ("processes" if processes else "threads") if workers else "training process"
        repeated = sum(
            replayed(run, samples, augment).repeats()[1]
            for run, samples, augment in ((of_images, images, crops), (of_speech, clips, sounds))
        )
        digests.add((of_images.digest(), of_speech.digest()))
        table.add_row(
            f"Keras fit, {kind}", str(workers), str(repeated), of_images.digest(), of_speech.digest()
        )
        step()
    table.caption = "all equal" if len(digests) == 1 else f"NOT EQUAL: {len(digests)} different streams"
    if len(digests) > 1:
        raise SystemExit(f"the streams differ: {sorted(digests)}")
    return [table]


def speed_table(images: np.ndarray, step: Any) -> Table:
    """Return the loaders' throughput without augmentation, with the usual one, and keyed."""
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
    return table


def draw_picture() -> None:
    """Write the picture: four photographs, read once by each of four workers, in two epochs."""
    from demo.picture import draw

    found, workers, size = inputs.photographs(), 4, 176
    names = ("astronaut", "chelsea", "coffee", "flower")
    images = np.stack([inputs.square(found[name], 256) for name in names] * workers)
    augment = keyed.image_augmentation(size)
    usual_loader = DataLoader(usual.StoredCrops(images, size), len(names), num_workers=workers)
    keyed_loader = keyed.torch_loader(images, augment, batch_size=len(names), num_workers=workers)
    panels: dict[str, Run] = {
        "usual code: self.rng = np.random.default_rng(0)": torch_run(usual_loader, 2),
        "seedsafe": replayed(torch_run(keyed_loader, 2), images, augment),
    }
    draw(panels, len(names), PICTURE)


if __name__ == "__main__":
    main()
