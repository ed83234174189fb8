"""Train a small diffusion model with PyTorch. Noise and timestep follow each image's key: no batch size or worker changes them.

python examples/diffusion.py train/ --epochs 3 --workers 2    # train/CLASS/*.jpg
"""

import argparse
from pathlib import Path

import torch
from torch import nn

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, draws, loader

STEPS = 1000
KEPT = torch.cumprod(
    1 - torch.linspace(1e-4, 0.02, STEPS), 0
)  # Ho et al., "Denoising diffusion probabilistic models", 2020
TRAIN = ss.Compose(
    [ss.RandomResizedCrop(32), ss.HorizontalFlip(), ss.ToFloat(), ss.Normalize(0.5, 0.5), ss.ToCHW()]
)


def network():
    return nn.Sequential(
        nn.Conv2d(4, 32, 3, 1, 1), nn.SiLU(), nn.Conv2d(32, 32, 3, 1, 1), nn.SiLU(), nn.Conv2d(32, 3, 3, 1, 1)
    )


def losses(model, images, keys):
    timesteps = draws(keys, op="timestep").integer(STEPS)
    noise = draws(keys, op="noise").normal(images.shape[1:])
    kept = KEPT[timesteps].reshape(-1, 1, 1, 1)
    noisy = kept.sqrt() * images + (1 - kept).sqrt() * noise
    times = (timesteps / STEPS).reshape(-1, 1, 1, 1).expand(-1, 1, *images.shape[2:])
    return (model(torch.cat([noisy, times], 1)) - noise).square().mean((1, 2, 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0.05)
    options = parser.parse_args()

    torch.manual_seed(42)  # for the weights; everything else follows the keys
    dataset = AugmentedDataset(ss.ImageFolder(options.folder), TRAIN, seed=42)
    batches = loader(
        dataset, batch_size=options.batch_size, shuffle=True, num_workers=options.workers, keys=True
    )
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=options.rate)
    for epoch in range(options.epochs):
        total = 0.0
        for images, _, keys in batches:
            each = losses(model, images, keys)
            optimizer.zero_grad()
            each.mean().backward()
            optimizer.step()
            total += each.sum().item()
        print(f"loss of epoch {epoch}: {total / len(dataset):.6f}", flush=True)


if __name__ == "__main__":
    main()
