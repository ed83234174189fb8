"""Train a detector with PyTorch, stop, and resume.

python examples/detect.py FOLDER --epochs 3 --checkpoint run.pt    # FOLDER/boxes.json: {"name.jpg": [[x0, y0, x1, y1], ...]}
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

SIZE = 96
BOXES = ss.Boxes("pascal_voc", min_visibility=0.3, clip=True)  # drops boxes of which less is left
LAST = [ss.LetterBox(SIZE), ss.ToFloat(), ss.Normalize(0.5, 0.25), ss.ToCHW()]
TRAIN = ss.Compose([ss.RandomIoUCrop(), ss.HorizontalFlip(), ss.ColorJitter(0.3, 0.3), *LAST], boxes=BOXES)
TEST = ss.Compose(LAST, boxes=BOXES)


def photographs(folder):  # in memory; for a large folder, write a class with __len__ and __getitem__
    named = sorted(json.loads((folder / "boxes.json").read_text()).items())
    images = [cv2.cvtColor(cv2.imread(str(folder / name)), cv2.COLOR_BGR2RGB) for name, _ in named]
    boxes = [np.array(boxes, np.float32).reshape(-1, 4) for _, boxes in named]
    return [{"image": image, "boxes": rows} for image, rows in zip(images, boxes, strict=True)]


def collate(samples):  # the number of boxes differs, so they stay in a list
    images = torch.stack([torch.from_numpy(sample["image"]) for sample in samples])
    return images, [torch.from_numpy(sample["boxes"]) for sample in samples]


def loss_of(model, images, boxes):  # five numbers for an image: is there a box, and the largest one's edges
    largest = [max(rows, key=lambda b: (b[2] - b[0]) * (b[3] - b[1]), default=None) for rows in boxes]
    has_box = torch.tensor([one is not None for one in largest]).float()
    edges = torch.stack([torch.zeros(4) if one is None else one / SIZE for one in largest])
    outputs = model(images)
    has_box_loss = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], has_box)
    return has_box_loss + (has_box[:, None] * (outputs[:, 1:] - edges)).square().mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--checkpoint", type=Path, default=Path("run.pt"))
    options = parser.parse_args()

    torch.manual_seed(42)  # for the weights; the augmentation has its own seed
    dataset = AugmentedDataset(photographs(options.folder), TRAIN, seed=42)
    batches = loader(dataset, batch_size=8, shuffle=True, collate_fn=collate, num_workers=2)
    model = nn.Sequential(nn.Conv2d(3, 8, 9, 8, 4), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 12 * 12, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    parts = {"model": model, "optimizer": optimizer, "batches": batches}
    if options.checkpoint.exists():
        for name, state in torch.load(options.checkpoint).items():
            parts[name].load_state_dict(state)

    while batches.state_dict()["epoch"] < options.epochs:
        for images, boxes in batches:
            loss = loss_of(model, images, boxes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {batches.state_dict()['epoch'] - 1}: loss {loss.item()}", flush=True)
        torch.save({name: part.state_dict() for name, part in parts.items()}, options.checkpoint)
    if options.held_out:
        held_out = AugmentedDataset(photographs(options.held_out), TEST, seed=42, epoch=ss.VALIDATION_EPOCH)
        test = collate([held_out[index] for index in range(len(held_out))])
        print("held out:", loss_of(model, *test).item())


if __name__ == "__main__":
    main()
