"""Make seedsafe/keys/tables/normal16.npy: the upper half of the standard normal's quantiles, correctly rounded.

Entry k is Φ⁻¹((32768 + k + ½) / 65536), computed to 40 digits and rounded once to binary64.
"""

import hashlib
from pathlib import Path
from statistics import NormalDist

import mpmath
import numpy as np

mpmath.mp.dps = 40
TARGET = Path(__file__).parents[1] / "seedsafe" / "keys" / "tables" / "normal16.npy"


def quantile(k: int) -> float:
    probability = (mpmath.mpf(32768 + k) + mpmath.mpf("0.5")) / 65536
    start = NormalDist().inv_cdf(float(probability))
    return float(mpmath.findroot(lambda z: mpmath.ncdf(z) - probability, start))


half = np.array([quantile(k) for k in range(32768)], dtype="<f8")
np.save(TARGET, half)
print(hashlib.sha256(half.tobytes()).hexdigest(), half[:2], half[-1])
