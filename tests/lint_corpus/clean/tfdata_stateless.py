import tensorflow as tf


def augment(index, image):
    return tf.image.stateless_random_flip_left_right(image, seed=(1, index))


def pipeline(images):
    return tf.data.Dataset.from_tensor_slices(images).enumerate().map(augment)
