/// Products of arrays: matmul and related products, dot, vdot. They run when called, on settled memory.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/blas/batch.h"

namespace tessera {

using library::Product;

/// The batched product, computed in `dtype` (operands are cast as needed). With `out` the result is written there and
/// `out` is returned; the caller checks cast and broadcast.
Array product(Engine& engine, Product kind, const Array& a, const Array& b, DType dtype, const Array* out = nullptr);
/// NumPy's dot of two arrays that have at least one axis each.
Array dot(Engine& engine, const Array& a, const Array& b, DType dtype);
/// Both operands flattened in C order, the first one conjugated.
Array vdot(Engine& engine, const Array& a, const Array& b, DType dtype);
/// Sets the shared object that provides BLAS and LAPACK; call before the first product.
void prefer_blas(const std::string& path);

}  // namespace tessera
