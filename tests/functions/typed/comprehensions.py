"""Comprehensions make lists of the type that their elements have."""

from tessera import jit


@jit("(float32[:], int64)")
def function(a, n):
    squares = [x * x for x in a if x > 0]
    pairs = [(k, k / n) for k in range(n)]
    return squares[0], pairs[1], len(squares)


# prints
# function(a: array(float32, 1d), n: int64) -> tuple(float32, tuple(int64, float64), int64)
#   pairs: list
#   squares: list
#   squares = [x * x for x in a if x > 0]
#       [x * x for x in a if x > 0]: list
#         [x * x for x in a if x > 0]: device function <listcomp>
#   pairs = [(k, k / n) for k in range(n)]
#       [(k, k / n) for k in range(n)]: list
#         [(k, k / n) for k in range(n)]: device function <listcomp>
#   return squares[0], pairs[1], len(squares)
#       squares[0], pairs[1], len(squares): tuple(float32, tuple(int64, float64), int64)
#         squares[0]: float32
#         pairs[1]: tuple(int64, float64)
#         len(squares): int64
