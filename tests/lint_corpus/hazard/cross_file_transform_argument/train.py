import ops
from data import Pairs

pairs = Pairs(ops.swap)
