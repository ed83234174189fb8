import numpy as np
import pandas as pd


def perturbed(value):
    return value + np.random.normal()


frame = pd.read_csv("table.csv")
frame["noisy"] = frame["value"].map(perturbed)
