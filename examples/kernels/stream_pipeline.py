"""An array in chunks on several streams: one chunk is copied in while another is computed and a third is copied out.

python examples/kernels/stream_pipeline.py
"""

import numpy

from tessera import cuda

CHUNK, THREADS = 1 << 16, 256


@cuda.jit
def scale(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i] * 0.5


n = 10 * CHUNK
a = cuda.pinned_array(n, numpy.int32)
b = cuda.pinned_array(n, numpy.float64)
a[:] = numpy.arange(n)
streams = [cuda.stream() for _ in range(3)]
# Each stream has arrays of its own, so that no chunk waits for another's.
kept = [(cuda.device_array(CHUNK, a.dtype), cuda.device_array(CHUNK, b.dtype)) for _ in streams]
for number, first in enumerate(range(0, n, CHUNK)):
    stream, (x, y) = streams[number % len(streams)], kept[number % len(streams)]
    x.copy_to_device(a[first : first + CHUNK], stream=stream)
    scale[CHUNK // THREADS, THREADS, stream](x, y)
    y.copy_to_host(b[first : first + CHUNK], stream=stream)
for stream in streams:
    stream.synchronize()
print("all chunks are right:", bool((b == a * 0.5).all()))
