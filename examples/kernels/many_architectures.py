"""CUDA C++ from a Jinja2 template, compiled ahead of time to one file for many GPUs, then loaded. The first half needs no GPU."""

import os
import tempfile

import jinja2
import tessera.numpy as np
from tessera.errors import CudaSupportError

from tessera import cuda

POLYNOMIALS = jinja2.Template(r"""
{% for name, coefficients in polynomials.items() %}
extern "C" __global__ void {{ name }}(const {{ T }}* x, {{ T }}* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {{ T }} sum = 0;
  {% for c in coefficients | reverse %}
  sum = sum * x[i] + {{ T }}({{ c }});
  {% endfor %}
  y[i] = sum;
}
{% endfor %}
""")


def main():
    code = POLYNOMIALS.render(T="double", polynomials={"line": [1, 2], "cubic": [1, 0, -3, 0.5]})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "polynomials.fatbin")
        print(
            cuda.build_kernels(code, path, architectures=["sm_80", "sm_90", "compute_90"]),
            os.path.getsize(path),
            "bytes",
        )
        module = cuda.RawModule(path=path)
        x, y = np.linspace(0, 1, 5), np.zeros(5)
        module.get_function("cubic")((1,), (32,), (x, y, np.int32(5)))
        print(y)


if __name__ == "__main__":
    try:
        main()
    except CudaSupportError as error:
        print(error)
