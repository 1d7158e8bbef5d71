"""
Singular values by Dask
=======================

The singular value decomposition of a tall matrix in chunks. The setting ``array.backend`` makes Dask's chunks tessera arrays; the program stays as it is.
"""

import time

import dask
import matplotlib.pyplot as plt
import numpy

CHUNKS, ROWS, COLUMNS = 8, 80_000, 40


def singular_values(backend):
    """Seconds, and the singular values of random numbers with a few strong directions."""
    with dask.config.set({"array.backend": backend}):
        import dask.array as da

        random = da.random.default_rng(1)
        noise = random.normal(size=(ROWS, COLUMNS), chunks=(ROWS // CHUNKS, COLUMNS))
        strong = random.normal(size=(ROWS, 5), chunks=(ROWS // CHUNKS, 5)) @ random.normal(size=(5, COLUMNS), chunks=-1)
        values = da.linalg.svd(noise + strong)[1]
        start = time.perf_counter()
        result = numpy.asarray(values.compute())
        return time.perf_counter() - start, result


singular_values("tessera")  # kernels compile
ours, values = singular_values("tessera")
theirs, expected = singular_values("numpy")
numpy.testing.assert_allclose(values, expected, rtol=1e-8)
print(f"{ROWS} x {COLUMNS} in {CHUNKS} chunks: tessera's chunks {ours:.3f} s, NumPy's {theirs:.3f} s")

# %%
# The random numbers are NumPy's for a seed with either kind of chunks, so the values agree.

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.bar(range(1, COLUMNS + 1), values)
axes.set(xlabel="number", ylabel="singular value", title="five directions stand out")
plt.show()
