"""Lightning with max_steps, which comes to the end of a resumed epoch once more: any checkpoint of any generation goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightning
import pytest
import torch
from recorded import Batches, expected, from_loader, from_sampler
from test_lightning_callback import Validated, every_kind

from seedsafe_torch.lightning import ResumeCallback

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]


class Counted(Validated):
    """A checkpoint says how many batches the run that made it was served."""

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["served"] = len(self.seen)


def fit(make: Callable[[], Any], resume: Path | None, callbacks: Any, options: dict[str, Any]) -> Batches:
    model = Counted(make)
    trainer = lightning.Trainer(
        max_epochs=-1,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=bool(callbacks),
        callbacks=[*callbacks, ResumeCallback()],
        **options,
    )
    trainer.fit(model, ckpt_path=resume, weights_only=False)
    return model.seen


def served(path: Path) -> int:
    return int(torch.load(path, weights_only=False)["served"])


@pytest.mark.parametrize("make", [from_loader, from_sampler])
@pytest.mark.parametrize(
    "options",
    [
        {"max_steps": 10},
        {"max_steps": 6, "accumulate_grad_batches": 2, "val_check_interval": 2},
        {"max_steps": 10, "limit_train_batches": 3, "reload_dataloaders_every_n_epochs": 1},
    ],
)
def test_any_checkpoint_goes_on(make: Any, options: dict[str, Any], tmp_path: Path) -> None:
    def loading() -> Any:
        return make(0)

    whole = fit(loading, None, every_kind(tmp_path / "first"), options)
    limit = options.get("limit_train_batches", 4)
    assert whole == [batch for at, batch in enumerate(expected(4)) if at % 4 < limit][: len(whole)]
    ends = 0
    for path in sorted((tmp_path / "first").iterdir()):
        again = tmp_path / path.stem
        begun = served(path)
        assert fit(loading, path, every_kind(again), options) == whole[begun:], path.name
        if path.stem.startswith("end") and begun < len(whole):
            ends += 1
            for later in sorted(again.iterdir()):
                last = later.stem.startswith("after") and served(later) % limit == 0
                if last and limit < 4 and served(later) + begun < len(whole):
                    with pytest.raises(ValueError, match="resume from the checkpoint of another step"):
                        fit(loading, later, [], options)
                    continue
                rest = whole[begun + served(later) :]
                assert fit(loading, later, [], options) == rest, (path.name, later.name)
    assert ends == (len(whole) - 1) // limit


@pytest.mark.parametrize("make", [from_loader, from_sampler])
def test_a_longer_run_goes_on_within_the_epoch_that_was_cut_short(make: Any, tmp_path: Path) -> None:
    fit(lambda: make(2), None, every_kind(tmp_path), {"max_steps": 6})
    for name in ("after-step=6", "end-step=6"):
        rest = fit(lambda: make(1), tmp_path / f"{name}.ckpt", [], {"max_steps": 10})
        assert rest == expected(3)[6:10], name
