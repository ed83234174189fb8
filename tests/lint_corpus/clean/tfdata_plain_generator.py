import tensorflow as tf


def samples():
    for i in range(10):
        yield i


dataset = tf.data.Dataset.from_generator(samples, output_types=tf.int64)
