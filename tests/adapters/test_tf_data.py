"""The recipe for tf.data in docs/how-to/streams.md, run as it stands there: keyed by definition, resumed, and in Keras."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from programs import ROOT, environment
from test_docs import blocks, printed_by

import seedsafe as ss

LENGTH, EPOCHS = 4, 10

CHECK = """
import json, sys

data = tf.data.Dataset.from_tensor_slices(np.arange(64, dtype=np.uint8).reshape(4, 4, 4))  # no two alike
epochs = tf.data.Dataset.range(0, 10).flat_map(one_epoch)

def listed(epochs):
    return [[index.numpy().tolist(), image.numpy().tolist()] for index, image in epochs]

import keras

seen = []
class Seeing(keras.layers.Layer):
    def call(self, image):
        tf.py_function(lambda batch: seen.append(batch.numpy().tolist()), [image], [])
        return image

model = keras.Sequential([keras.layers.Input((1, 1)), Seeing(), keras.layers.Dense(1)])
model.compile("sgd", "mse", run_eagerly=True)
pairs = tf.data.Dataset.range(3, 10).flat_map(one_epoch).map(lambda index, image: (image, index))
model.fit(pairs, epochs=5, initial_epoch=3, steps_per_epoch=2, verbose=0)
resumed = listed(tf.data.Dataset.range(3, 10).flat_map(one_epoch))
json.dump({"whole": listed(epochs), "resumed": resumed, "fitted": seen}, open(sys.argv[1], "w"))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("tf_data")
    code, _ = printed_by(blocks(ROOT / "docs" / "how-to" / "streams.md"))
    (folder / "page.py").write_text(code + CHECK)
    command = [sys.executable, "page.py", "served.json"]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "served.json").read_text())


def test_each_epoch_is_that_of_the_definition(served: Any) -> None:
    augment = ss.Compose([ss.RandomCrop(1), ss.HorizontalFlip()])
    images = np.arange(64, dtype=np.uint8).reshape(4, 4, 4)
    batches = served["whole"]
    assert len(batches) == 2 * EPOCHS
    for epoch in range(EPOCHS):
        both = batches[2 * epoch : 2 * epoch + 2]
        found = {n: pixels for indices, made in both for n, pixels in zip(indices, made, strict=True)}
        assert found == {
            n: augment(images[n], key=ss.SampleKey(42, epoch, n)).tolist() for n in range(LENGTH)
        }, epoch
    assert len({str([indices for indices, _ in batches[at : at + 2]]) for at in range(0, 20, 2)}) > 1


def test_it_goes_on_from_an_epoch(served: Any) -> None:
    assert served["resumed"] == served["whole"][6:]


def test_keras_trains_on_it(served: Any) -> None:
    built = len(served["fitted"]) - 4  # Keras may look at a batch to build the model
    assert [np.asarray(batch, int).tolist() for batch in served["fitted"][built:]] == [
        images for _, images in served["whole"][6:10]
    ]
