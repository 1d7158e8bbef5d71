/// Products of arrays: matmul and its kin, dot, vdot. They run when called, on settled memory.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/blas/batch.h"

namespace tessera {

using library::Product;

/// The batched product, computed in dtype (operands are cast as needed). With `out` the result is written there, cast
/// and broadcast checked by the caller's rules, and `out` is returned.
Array product(Engine& engine, Product kind, const Array& a, const Array& b, DType dtype, const Array* out = nullptr);
/// NumPy's dot of two arrays of at least one axis.
Array dot(Engine& engine, const Array& a, const Array& b, DType dtype);
/// Both flattened in C order, the first conjugated.
Array vdot(Engine& engine, const Array& a, const Array& b, DType dtype);
/// Names the shared object that BLAS and LAPACK come from; before the first product.
void prefer_blas(const std::string& path);

}  // namespace tessera
