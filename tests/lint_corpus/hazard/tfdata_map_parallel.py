import numpy as np
import random
import tensorflow as tf
AUTOTUNE = tf.data.AUTOTUNE

def aug(x, y):
    return x + np.random.normal(), y  # expect: SSF004

def np_aug(x):
    if random.random() > 2: pass
    return x + np.random.normal()  # expect: SSF001

def tf_aug(x, y):
    x = tf.py_function(np_aug, [x], tf.float32)
    return x, y

class L:
    def crop(self, x):
        o = np.random.randint(0, 4)  # expect: SSF004
        return x[o:o+8]

    def get(self, ds):
        ds = ds.map(self.crop, AUTOTUNE)
        ds = ds.map(map_func=aug, num_parallel_calls=AUTOTUNE)
        ds = ds.map(lambda x, y: tf.numpy_function(func=np_aug, inp=[x], Tout=[tf.float32]))
        return ds.map(tf_aug, 4)
