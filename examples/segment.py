"""Train a segmenter with Keras, stop, and resume.

python examples/segment.py FOLDER --epochs 3 --run run/        # FOLDER/images/*.jpg and FOLDER/masks/*.png of the same names
"""

import argparse
from pathlib import Path

import cv2
import keras
import numpy as np

import seedsafe as ss
from seedsafe_keras import AugmentedSequence, evaluate, fit

SIZE = 64
LAST = [ss.ToFloat(), ss.Normalize(0.5, 0.25)]
TRAIN = ss.Compose([ss.RandomResizedCrop(SIZE, scale=(0.3, 1.0)), ss.HorizontalFlip(), ss.Gamma(0.2), *LAST])
TEST = ss.Compose([ss.Resize((SIZE, SIZE)), *LAST])


class Pairs:
    """Photographs and their masks: image (H, W, 3) and mask (H, W), 0 for the background."""

    def __init__(self, folder):
        self.images = sorted((folder / "images").glob("*.jpg"))
        self.masks = [folder / "masks" / f"{path.stem}.png" for path in self.images]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = cv2.cvtColor(cv2.imread(str(self.images[index])), cv2.COLOR_BGR2RGB)
        mask = cv2.imread(str(self.masks[index]), cv2.IMREAD_GRAYSCALE)
        return image, (mask > 0).astype(np.uint8)


def network():
    conv, pool, up = keras.layers.Conv2D, keras.layers.MaxPooling2D, keras.layers.UpSampling2D
    image = keras.Input((SIZE, SIZE, 3))
    wide = conv(16, 3, padding="same", activation="relu")(image)
    small = conv(32, 3, padding="same", activation="relu")(pool(2)(wide))
    both = keras.layers.Concatenate()([up(2)(small), wide])
    return keras.Model(image, conv(1, 3, padding="same")(both))


def sequence(folder, augment, **options):
    return AugmentedSequence(
        Pairs(folder), augment, seed=42, batch_size=8, targets=("image", "mask"), **options
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--run", type=Path, default=Path("run"))
    options = parser.parse_args()

    keras.utils.set_random_seed(42)  # for the weights; the augmentation has its own seed
    batches = sequence(options.folder, TRAIN, shuffle=True, workers=options.workers)
    held_out = sequence(options.held_out, TEST) if options.held_out else None
    done = sorted(options.run.glob("*.keras"))  # one for each epoch
    model = keras.models.load_model(done[-1]) if done else network()
    if not done:
        model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    options.run.mkdir(parents=True, exist_ok=True)
    after = keras.callbacks.ModelCheckpoint(options.run / "{epoch:04}.keras")
    history = fit(
        model, batches, initial_epoch=len(done), epochs=options.epochs, callbacks=[after], verbose=0
    )
    print("losses of the epochs:", *history.history.get("loss", []), flush=True)
    if held_out:
        print("held out:", evaluate(model, held_out, verbose=0))


if __name__ == "__main__":
    main()
