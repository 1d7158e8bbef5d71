"""What a type checker has to refuse; the comment at a line's end is the error."""

import numpy as np
import numpy.typing as npt

array: npt.NDArray[np.float64] = np.zeros(3)
np.zeros()  # call-overload
np.no_such_name  # attr-defined
np.ones(3, dtype=np.float32, oder="C")  # call-overload
array.reshpe(3)  # attr-defined
text: str = np.zeros(3)  # assignment
whole: npt.NDArray[np.int64] = array.copy()  # assignment
mask: npt.NDArray[np.float64] = array > 1  # assignment
np.sum(array, keepdims="yes")  # arg-type
np.random.default_rng(1).normall(3)  # attr-defined
rows: str = array.ndim  # assignment
length: str = np.ndim(array)  # assignment
one, two, three = np.zeros((2, 3)).shape  # misc
flat: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.zeros(3)  # assignment
