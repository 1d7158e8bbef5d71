// pycuda::complex: the complex numbers of complex.cuh under the name that PyCUDA has for them.
#pragma once

#include "tessera/complex.cuh"

namespace pycuda {
using namespace thrust;
}
