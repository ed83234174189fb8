"""The Keras Sequence of the original post: the usual code as it behaves today, then keyed."""

from __future__ import annotations

import json

from programs import python

# A process of its own: the workers are forked from one that has not run other frameworks' threads.
SCRIPT = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import keras
from cases_usual import Numbered
from cases_usual_keras import KERAS_WORKERS, ThreeNumbersSequence
from demo.measure import keras_run
import seedsafe as ss, seedsafe_keras
from seedsafe_keras import AugmentedSequence

def usual(model, sequence, **more):
    return model.fit(sequence, **more)

found = {}
for name, rng in (("global", None), ("stored", np.random.default_rng(0))):
    np.random.seed(0)
    sequence = ThreeNumbersSequence(rng, workers=KERAS_WORKERS, use_multiprocessing=True)
    found[name] = keras_run(usual, sequence, 2).repeats()
images = np.random.default_rng(1).integers(0, 256, (16, 32, 32, 3), dtype=np.uint8)
augment = ss.Compose([ss.RandomCrop(16), ss.GaussianNoise(std=(0, 12))])
runs = []
for workers, processes in ((0, False), (2, True), (4, True), (4, False)):
    sequence = AugmentedSequence(
        Numbered(images), augment, seed=42, batch_size=2, workers=workers, use_multiprocessing=processes
    )
    runs.append(keras_run(seedsafe_keras.fit, sequence, 2))
found["digests"] = [run.digest() for run in runs]
found["distinct"] = len({sample.tobytes() for sample in runs[0].samples})
print(json.dumps(found))
"""


def test_the_sequence_repeats_and_the_keyed_one_does_not() -> None:
    done = python("-c", SCRIPT)
    found = json.loads(done.stdout)
    for name in ("global", "stored"):
        inside, over_all = found[name]
        assert inside > 0, (
            f"Keras no longer repeats augmentations ({name}): update the table of docs/explanation/the-bug.md"
        )
        assert over_all >= inside + 2  # the epochs repeat each other too
    assert len(set(found["digests"])) == 1
    assert found["distinct"] == 32
