/// Batched products: NumPy's matmul, vecdot, matvec and vecmat over arrays of any rank.
#pragma once

#include "tessera/layout/view.h"

namespace tessera::library {

/// One operand of a batched product. `data` is the address of element (0, ..., 0); strides come from the view.
struct Strided {
  char* data;
  View view;
};

enum class Product : uint8_t { matmul, vecdot, matvec, vecmat };

/// NumPy's signature of the product, "(n?,k),(k,m?)->(n?,m?)".
const char* signature(Product product);
const char* name(Product product);

/// The result of checking a product's operand shapes.
struct ProductShape {
  Dims batch;
  Dims result;            // batch and core axes, as the caller sees them
  bool vector_a = false;  // a 1-d operand of matmul: the missing axis has extent 1 and is left out of the result
  bool vector_b = false;
};
/// Throws ShapeError with NumPy's message when the shapes do not fit.
ProductShape product_shape(Product product, const Dims& a, const Dims& b);

/// out = product(a, b); all of one dtype, out with product_shape's result shape and not overlapping the inputs.
void run_product(Product product, const Strided& a, const Strided& b, const Strided& out);

}  // namespace tessera::library
