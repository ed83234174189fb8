import imgaug.augmenters as iaa
from keras.utils import Sequence


class Batches(Sequence):
    def __init__(self, images, augmenter: iaa.Augmenter):
        self.images = images
        self.augmenter = augmenter

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.augmenter(image=self.images[index])  # expect: SSF003
