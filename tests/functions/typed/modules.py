"""Dotted names of modules and of classes are looked up while compiling."""

import numpy as np

from tessera import jit


class Settings:
    scale = 3
    names = ("a", "b")


@jit("(float64,)")
def function(x):
    return x * np.pi, x + Settings.scale, len(Settings.names), np.inf, np.finfo(np.float32).eps


# prints
# function(x: float64) -> tuple(float64, float64, int64, float64, float32)
#   return x * np.pi, x + Settings.scale, len(Settings.names), np.inf, np.finfo(np.float32).eps
#       x * np.pi, x + Settings.scale, len(Settings.names), np.inf, np.finfo(np.float32).eps: tuple(float64, float64, int64, float64, float32)
#         x * np.pi: float64
#           np.pi: float64
#         x + Settings.scale: float64
#           Settings.scale: int64
#         len(Settings.names): int64
#           Settings.names: tuple(str, str)
#         np.inf: float64
#         np.finfo(np.float32).eps: float32
#           np.finfo(np.float32): tuple(bits: int64, eps: float32, epsneg: float32, iexp: int64, machep: int64, max: float32, maxexp: int64, min: float32, minexp: int64, negep: int64, nexp: int64, nmant: int64, precision: int64, resolution: float32, smallest_normal: float32, smallest_subnormal: float32, tiny: float32)
#             np.float32: type float32
