import tensorflow as tf
from reader import Reader


class Pipeline:
    def __init__(self, files):
        self.reader = Reader(files)

    def dataset(self):
        return self._from(self.reader.read)

    def _from(self, generator):
        return tf.data.Dataset.from_generator(generator, output_types=tf.string)


def main(files):
    pipeline = Pipeline(files)
    print(pipeline.reader.inspect())
    return pipeline.dataset()
