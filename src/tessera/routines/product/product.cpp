#include "tessera/routines/product/product.h"

#include "tessera/base/error.h"
#include "tessera/routines/product/kernels.h"

namespace tessera::routines {

void multiply_integers(Launcher& launcher, const IntegerMatrices& matrices, const char* a, const char* b, char* out) {
  const auto squares = [](int64_t extent) { return (extent + product_side - 1) / product_side; };
  launcher.run({.name = format("integer_product {}", name(matrices.dtype)),
                .make = [dtype = matrices.dtype] { return integer_product_kernel(dtype); },
                .extents = {matrices.batch * squares(matrices.m) * squares(matrices.n), product_threads},
                .buffers = {a, b, out},
                .scalars = {matrices.m, matrices.n, matrices.k},
                .is_block = true});
}

}  // namespace tessera::routines
