/// Products of integer matrices in device memory, which vendor libraries do not implement.
#pragma once

#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// Products of `batch` pairs of dense matrices, (m, k) and (k, n), of one integer or boolean type.
struct IntegerMatrices {
  DType dtype;
  int64_t batch, m, k, n;
};

/// Queues the products, which wrap on overflow.
void multiply_integers(Launcher& launcher, const IntegerMatrices& matrices, const char* a, const char* b, char* out);

}  // namespace tessera::routines
