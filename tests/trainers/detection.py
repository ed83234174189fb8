"""One training of ultralytics' detector, started as a script: what it was served comes out as a JSON file."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import operators  # noqa: F401  # torchvision's, which ultralytics imports
from ultralytics import YOLO
from ultralytics.models.yolo.detect import DetectionTrainer

from seedsafe_torch.ultralytics import keyed_loader

COUNT, BATCH, EPOCHS, SEED = 9, 3, 3, 42

Served = list[list[tuple[str, str]]]
"""Of each batch, of each sample: its file, and a digest of its pixels and boxes."""


def pictures(folder: Path) -> None:
    """Write a data set of noise, with one box in the middle of each picture."""
    noise = np.random.Generator(np.random.Philox(7))
    for part, count in (("train", COUNT), ("val", 2)):
        for kind in ("images", "labels"):
            (folder / kind / part).mkdir(parents=True)
        for n in range(count):
            cv2.imwrite(str(folder / f"images/{part}/{n}.png"), noise.integers(0, 256, (48, 64, 3), np.uint8))
            (folder / f"labels/{part}/{n}.txt").write_text("0 0.5 0.5 0.4 0.4\n")
    text = f"path: {folder}\ntrain: images/train\nval: images/val\nnames: [noise]\n"
    (folder / "data.yaml").write_text(text)


class Recorded(DetectionTrainer):  # type: ignore[misc]
    """It writes down what it trains on, and validates nothing: torchvision's operators are not there."""

    seen: Served
    loaders = staticmethod(keyed_loader)

    def get_dataloader(
        self, dataset_path: str, batch_size: int = 16, rank: int = 0, mode: str = "train"
    ) -> Any:
        loading = super().get_dataloader(dataset_path, batch_size, rank, mode)
        return self.loaders(loading, self, seed=SEED) if mode == "train" else loading

    def preprocess_batch(self, batch: dict[str, Any]) -> Any:
        samples = []
        for at, (name, image) in enumerate(zip(batch["im_file"], batch["img"], strict=True)):
            boxes = batch["bboxes"][batch["batch_idx"] == at]
            pixels = image.numpy().tobytes() + boxes.numpy().tobytes()
            samples.append((Path(name).stem, hashlib.blake2b(pixels, digest_size=8).hexdigest()))
        self.seen.append(samples)
        return super().preprocess_batch(batch)

    def validate(self) -> tuple[dict[str, Any], float]:
        return {}, 0.0

    def final_eval(self) -> None:
        pass


def main(folder: Path, workers: int, kind: str, name: str) -> None:
    """Train whole, until it is killed in the second epoch, resumed from its end, or without the keyed loader."""

    def kill(trainer: Any) -> None:
        if kind == "killed" and len(trainer.seen) == EPOCHS + 2:
            os._exit(9)

    def write(trainer: Any) -> None:
        (folder / f"{name}.json").write_text(json.dumps(trainer.seen))

    def set_workers(trainer: Any) -> None:  # on a CPU it allows none
        trainer.args.workers = workers

    Recorded.seen = []
    if kind == "unkeyed":
        Recorded.loaders = staticmethod(lambda loading, trainer, seed: loading)
    resumed = kind == "resumed"
    model = YOLO(str(folder / "runs/train/weights/last.pt") if resumed else "yolov8n.yaml")
    model.add_callback("on_pretrain_routine_start", set_workers)
    model.add_callback("on_train_batch_end", kill)
    model.add_callback("on_train_end", write)
    model.train(
        trainer=Recorded,
        resume=resumed,
        data=str(folder / "data.yaml"),
        project=str(folder / "runs"),
        name="train",
        exist_ok=True,
        epochs=EPOCHS,
        imgsz=32,
        batch=BATCH,
        device="cpu",
        cache=False if kind == "uncached" else "ram",
        mixup=0.5,
        close_mosaic=1,
        plots=False,
        val=False,
        amp=False,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
