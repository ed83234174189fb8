"""One training with Accelerate on two ranks, run by torchrun: what each was served, whole and resumed, as a JSON file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # before anything imports torchvision
from accelerate import Accelerator, skip_first_batches
from accelerate.utils import DataLoaderConfiguration
from recorded import from_loader, listed

EPOCHS, SAVED = 2, 3
"""It saves after its third step, the first of epoch 1."""


def main(folder: Path) -> None:
    found = {}
    for stateful in (False, True):
        configuration = DataLoaderConfiguration(use_stateful_dataloader=stateful)
        accelerator = Accelerator(cpu=True, dataloader_config=configuration)
        loading: Any = accelerator.prepare(from_loader(1))
        whole = []
        for _ in range(EPOCHS):
            for batch in loading:
                whole.append(listed(batch))
                if stateful and len(whole) == SAVED:
                    accelerator.save_state(str(folder / "state"))
        accelerator.wait_for_everyone()  # both ranks write the state's files

        accelerator = Accelerator(cpu=True, dataloader_config=configuration)
        loading = accelerator.prepare(from_loader(1))
        if stateful:
            accelerator.load_state(str(folder / "state"))
        loading.set_epoch(1)
        resumed = loading if stateful else skip_first_batches(loading, SAVED - len(loading))
        found[str(stateful)] = {"whole": whole, "resumed": [listed(batch) for batch in resumed]}
        rank = accelerator.process_index
    (folder / f"served-{rank}.json").write_text(json.dumps(found))
    accelerator.end_training()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
