from data import D
from loader import SeededLoader

def main(xs):
    return SeededLoader(D(xs), 3, num_workers=2)
