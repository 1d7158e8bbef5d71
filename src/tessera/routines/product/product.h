/// Products of arrays: what their descriptors and both implementations share.
#pragma once

#include "tessera/library/blas/batch.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

using library::Product;

/// How a product's operands are completed to matrices.
struct ProductForm {
  library::ProductShape shape;
  bool row, column;  // the first operand's vectors are rows of one matrix each; the second one's are columns
  bool conjugates;   // the first operand is conjugated

  ProductForm(Product kind, const View& a, const View& b, DType dtype);
  bool is_of_vectors() const { return row && column; }
};

/// Products of `batch` pairs of dense matrices, (m, k) and (k, n), of one integer or boolean type.
struct IntegerMatrices {
  DType dtype;
  int64_t batch, m, k, n;
};

/// Queues the products, which wrap on overflow.
void multiply_integers(Launcher& launcher, const IntegerMatrices& matrices, const char* a, const char* b, char* out);

/// Implementations on a device, by its library or by our kernels for integers.
void product_on_device(DeviceCall& call, Product kind);
void dot_on_device(DeviceCall& call);
void vdot_on_device(DeviceCall& call);

}  // namespace tessera::routines
