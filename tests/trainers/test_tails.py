"""The tail of a pipeline in Lightning's and Hugging Face's training steps, as the page on trainers has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightning
import numpy as np
import operators  # noqa: F401  # torchvision's, which transformers imports
import pytest
import torch
from torch import Tensor
from transformers import Trainer, TrainingArguments

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, OnDevice, loader

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

PAGE = (Path(__file__).parents[2] / "docs/how-to/trainers.md").read_text()
IMAGES = np.random.default_rng(0).integers(0, 256, (24, 12, 12, 3), np.uint8)
WHOLE = ss.Compose(
    [ss.RandomCrop(10), ss.HorizontalFlip(), ss.RandomCrop(8), ss.HorizontalFlip(), ss.ToFloat(), ss.ToCHW()]
)
HEAD, TAIL = WHOLE.split(2)


def block(needs: str, **names: Any) -> dict[str, Any]:
    """Return the names that the page's block for a trainer defines."""
    code = PAGE.partition("## The tail on the device")[2].partition(f"no-run: needs {needs}\n")[2]
    found = {"OnDevice": OnDevice, "loader": loader, "tail": TAIL, **names}
    exec(code.partition("```")[0], found)  # noqa: S102
    return found


def expected(number: int, epoch: int) -> Tensor:
    return torch.from_numpy(WHOLE(IMAGES[number], key=ss.SampleKey(42, epoch, number)))


def check(seen: list[tuple[Tensor, Tensor]]) -> None:
    """Compare what a model was trained on in two epochs with the pipeline's own samples."""
    assert len(seen) == 8
    for step, (images, numbers) in enumerate(seen):
        assert len(images) == 6
        for image, number in zip(images, numbers.tolist(), strict=True):
            assert torch.equal(image, expected(number, step // 4))


@pytest.mark.parametrize("workers", [0, 2])
def test_lightning(workers: int, tmp_path: Path) -> None:
    base = block("lightning", lightning=lightning, network=lambda: torch.nn.Linear(1, 1))["Classifier"]
    seen: list[Any] = []

    class Model(base):  # type: ignore[misc, valid-type]
        def training_step(self, batch: Any, number: int) -> Tensor:
            images, numbers = batch
            seen.append((images.cpu(), numbers.cpu()))
            return self.net(images.mean().reshape(1, 1)).sum()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    samples = [(image, number) for number, image in enumerate(IMAGES)]
    batches = loader(
        AugmentedDataset(samples, HEAD, seed=42), batch_size=6, shuffle=True, keys=True, num_workers=workers
    )
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        default_root_dir=tmp_path,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(Model(), batches)
    check(seen)


class Net(torch.nn.Module):
    """One weight; it keeps what it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: list[Any] = []

    def forward(self, pixel_values: Tensor, numbers: Tensor) -> dict[str, Tensor]:
        self.seen.append((pixel_values.detach().cpu(), numbers.cpu()))
        return {"loss": (self.weight * pixel_values.mean()).sum()}


def collate(samples: list[Any]) -> dict[str, Tensor]:
    return {
        "pixel_values": torch.stack([torch.as_tensor(image) for image, _ in samples]),
        "numbers": torch.tensor([number for _, number in samples]),
    }


def test_hugging_face(tmp_path: Path) -> None:
    kind = block("transformers", Trainer=Trainer)["OnOurLoader"]
    samples = [(image, number) for number, image in enumerate(IMAGES)]
    net = Net()
    arguments = TrainingArguments(
        str(tmp_path),
        per_device_train_batch_size=6,
        num_train_epochs=2,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        save_strategy="no",
        logging_strategy="no",
    )
    kind(
        net, arguments, train_dataset=AugmentedDataset(samples, HEAD, seed=42), data_collator=collate
    ).train()
    check(net.seen)
