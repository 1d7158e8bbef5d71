"""Integers compute in 64 bits; beside uint64 a constant stays uint64, an int64 makes int64."""

from tessera import jit


@jit("(uint64, int64, uint8)")
def function(seed, n, byte):
    mixed = (seed ^ (seed >> 33)) * 0xFF51AFD7ED558CCD
    both = seed + n
    shifted = byte << 2
    return mixed, both, shifted, not n, ~byte


# prints
# function(seed: uint64, n: int64, byte: uint8) -> tuple(uint64, int64, uint64, bool, uint64)
#   both: int64
#   mixed: uint64
#   shifted: uint64
#   mixed = (seed ^ (seed >> 33)) * 0xFF51AFD7ED558CCD
#       (seed ^ (seed >> 33)) * 0xFF51AFD7ED558CCD: uint64
#         seed ^ (seed >> 33): uint64
#           seed >> 33: uint64
#   both = seed + n
#       seed + n: int64
#   shifted = byte << 2
#       byte << 2: uint64
#   return mixed, both, shifted, not n, ~byte
#       mixed, both, shifted, not n, ~byte: tuple(uint64, int64, uint64, bool, uint64)
#         not n: bool
#         ~byte: uint64
