"""fuse and rawkernel."""

import numpy as np
import pytest
import tessera.numpy as tn

from tessera import cuda


def test_fuse_leaves_the_function_what_it_is():
    @cuda.fuse
    def square(x, y):
        return (x - y) ** 2

    @cuda.fuse(kernel_name="named")
    def double(x):
        return x * 2

    x = np.arange(5.0)
    np.testing.assert_array_equal(np.asarray(square(tn.asarray(x), 2)), (x - 2) ** 2)
    np.testing.assert_array_equal(np.asarray(double(tn.asarray(x))), x * 2)
    with pytest.raises(TypeError, match="no option other"):
        cuda.fuse(other=1)


def test_rawkernel_is_launched_as_a_raw_kernel_is():
    @cuda.rawkernel(device=True)
    def twice(x):
        return 2 * x

    @cuda.rawkernel()
    def copy(x, y, size):
        i = cuda.grid(1)
        if i < size:
            y[i] = twice(x[i])

    x, y = tn.arange(100.0), tn.zeros(100)
    copy((4,), (32,), (x, y, 100))
    np.testing.assert_array_equal(np.asarray(y), 2 * np.arange(100.0))
    copy[4, 32](y, x, 50)
    np.testing.assert_array_equal(np.asarray(x)[:50], 4 * np.arange(50.0))
