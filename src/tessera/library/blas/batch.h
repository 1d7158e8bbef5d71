/// Products over batches: the loops of NumPy's matmul, vecdot, matvec and vecmat.
#pragma once

#include "tessera/layout/view.h"

namespace tessera::library {

/// One operand of a batched product. `data` is element (0, ..., 0); strides are taken from the view.
struct Strided {
  char* data;
  View view;
};

enum class Product : uint8_t { matmul, vecdot, matvec, vecmat };

/// NumPy's signature of the product, "(n?,k),(k,m?)->(n?,m?)".
const char* signature(Product product);
const char* name(Product product);

/// What a product makes of two shapes.
struct ProductShape {
  Dims batch;
  Dims result;            // batch and core, as the caller sees it
  bool vector_a = false;  // a 1-d operand of matmul: its missing axis is 1 long and left out of the result
  bool vector_b = false;
};
/// Throws ShapeError in NumPy's words where the shapes do not fit.
ProductShape product_shape(Product product, const Dims& a, const Dims& b);

/// out = product(a, b); all of one dtype, out of product_shape's result shape and not overlapping the inputs.
void run_product(Product product, const Strided& a, const Strided& b, const Strided& out);

}  // namespace tessera::library
