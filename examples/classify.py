"""Train a classifier with PyTorch, stop, and resume.

python examples/classify.py train/ --held-out val/ --epochs 3 --checkpoint run.pt    # train/CLASS/*.jpg
"""

import argparse
from pathlib import Path

import torch
from torch import nn

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
LAST = [ss.ToFloat(), ss.Normalize(MEAN, STD), ss.ToCHW()]
TRAIN = ss.Compose([ss.RandomResizedCrop(64), ss.HorizontalFlip(), ss.ColorJitter(0.3, 0.3, 0.3), *LAST])
TEST = ss.Compose([ss.Resize((64, 64)), *LAST])


def network(classes):
    layers = []
    for inner, outer in ((3, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(inner, outer, 3, 2, 1), nn.BatchNorm2d(outer), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


def accuracy(model, batches):
    model.eval()
    with torch.no_grad():
        right = [(model(images).argmax(1) == labels).float() for images, labels in batches]
    model.train()
    return torch.cat(right).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--checkpoint", type=Path, default=Path("run.pt"))
    options = parser.parse_args()
    unfinished = options.checkpoint.with_suffix(".tmp")

    torch.manual_seed(42)  # for the weights; the augmentation has its own seed
    images = ss.ImageFolder(options.folder)
    batches = loader(
        AugmentedDataset(images, TRAIN, seed=42), batch_size=16, shuffle=True, num_workers=options.workers
    )
    model = network(len(images.classes))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    parts = {"model": model, "optimizer": optimizer, "batches": batches}
    if options.checkpoint.exists():
        for name, state in torch.load(options.checkpoint).items():
            parts[name].load_state_dict(state)

    while batches.state_dict()["epoch"] < options.epochs:
        losses = []
        for pictures, labels in batches:
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            # After every batch, because this network is small.
            torch.save({name: part.state_dict() for name, part in parts.items()}, unfinished)
            unfinished.replace(options.checkpoint)
        print(f"losses of epoch {batches.state_dict()['epoch'] - 1}:", *losses, flush=True)
    if options.held_out:
        held_out = AugmentedDataset(
            ss.ImageFolder(options.held_out), TEST, seed=42, epoch=ss.VALIDATION_EPOCH
        )
        print(f"held out: {accuracy(model, loader(held_out, batch_size=32)):.3f} right")


if __name__ == "__main__":
    main()
