"""The post's Keras Sequence, as it stands, with bridge=True."""

from __future__ import annotations

import json

from programs import python

# A process of its own: the workers are forked from one that has not run other frameworks' threads.
SCRIPT = """
import json, warnings
warnings.simplefilter("ignore")
import numpy as np
from cases_usual import ThreeNumbers
from cases_usual_keras import ThreeNumbersSequence
from demo.measure import keras_run
import seedsafe_keras
from seedsafe_keras import AugmentedSequence
import cases_usual_keras
cases_usual_keras._meet = lambda: None  # a bridge does not mind which worker reads what

found = {}
bases = {
    "global": lambda: (ThreeNumbersSequence(None), {}),
    "stored": lambda: (ThreeNumbersSequence(np.random.default_rng(0)), {}),
    "samples": lambda: (Pairs(), {"batch_size": 2}),
}

class Pairs:
    def __init__(self):
        self.inner = ThreeNumbers(np.random.RandomState(0))
    def __len__(self):
        return len(self.inner)
    def __getitem__(self, index):
        numbers = self.inner[index].astype(float)
        return numbers, numbers

for name, make in bases.items():
    runs = []
    for workers, processes in ((0, False), (2, True), (4, True), (4, False)):
        base, more = make()
        sequence = AugmentedSequence(
            base, seed=42, bridge=True, workers=workers, use_multiprocessing=processes, **more
        )
        runs.append(keras_run(seedsafe_keras.fit, sequence, 2))
    found[name] = [len({run.digest() for run in runs}), runs[0].repeats()]
print(json.dumps([found, sequence.manifest()["bridge"]]))
"""


def test_no_repeats_and_equal_for_every_kind_of_workers() -> None:
    done = python("-c", SCRIPT)
    found, options = json.loads(done.stdout)
    for name, (digests, repeats) in found.items():
        assert digests == 1, f"{name}: the workers change the content"
        assert repeats == [0, 0], f"{name}: samples repeat"
    assert options.startswith("Bridge(")
