"""Each Keras layer that augments, and each of its arguments, has a hint here."""

from __future__ import annotations

import inspect
import re

import keras

import seedsafe as ss
from seedsafe.ground.advice import equivalent, names

KERAS = names()["Keras"]
LAYERS = {
    name: layer
    for name, layer in vars(keras.layers).items()
    if inspect.isclass(layer) and "preprocessing.image" in layer.__module__
}
OF_KERAS = ("args", "kwargs", "name")


def test_each_layer_is_here_or_has_a_hint() -> None:
    assert len(LAYERS) > 25
    assert [name for name in LAYERS if not hasattr(ss, name) and name not in KERAS] == []


def test_each_argument_is_taken_or_has_a_hint() -> None:
    silent = []
    for name, layer in LAYERS.items():
        call = re.match(r"ss\.(\w+)", KERAS[name].call) if name in KERAS else re.match(r"(\w+)", name)
        kind = getattr(ss, call[1]) if call else None
        if kind is None:
            continue
        takes = inspect.signature(kind).parameters
        for argument in inspect.signature(layer).parameters:
            known = argument in takes or argument in OF_KERAS
            if not known and equivalent(kind.__name__, argument, takes) is None:
                silent.append(f"{name}({argument}) of {kind.__name__}")
    assert silent == []
