import numpy as np

class RandomFlip:
    def __call__(self, image):
        return image if np.random.rand() > .5 else image[::-1]  # expect: SSF001

class Foo:
    def __call__(self, q):
        return q + np.random.rand()  # expect: SSF001

class Bar:
    def __call__(self, q):
        return q + np.random.rand()  # expect: SSF001

class Baz:
    def __call__(self, q):
        return q + np.random.rand()  # expect: SSF001

def build(train):
    transform_list = []
    if train:
        transform_list.append(RandomFlip())
        transform_list.append(Bar())
    return transform_list

class Pipe:
    def __init__(self):
        self.transforms = [RandomFlip(), Foo()]

def ret():
    return [RandomFlip(), Baz()]
