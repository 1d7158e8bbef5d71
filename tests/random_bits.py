"""How tests of random numbers compare: type, dtype and every bit."""

import numpy as np
import tessera.numpy as tnp


def assert_same(ours, theirs):
    if isinstance(theirs, np.ndarray):
        assert isinstance(ours, tnp.ndarray)
        ours = np.asarray(ours)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)
        assert ours.tobytes() == theirs.tobytes()
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs or (ours != ours and theirs != theirs)
