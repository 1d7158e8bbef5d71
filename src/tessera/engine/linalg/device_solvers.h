/// Linear systems and factorizations by a device's libraries; results are empty where the host has to do it.
#pragma once

#include <optional>

#include "tessera/engine/linalg/factorizations.h"

namespace tessera::on_device {

std::optional<Array> try_solve(Engine& engine, const Array& a, const Array& b, DType dtype);
std::optional<Array> try_invert(Engine& engine, const Array& a, DType dtype);
/// Computes signs and logarithms on the host: the diagonals of the factors are small.
std::optional<std::pair<Array, Array>> try_log_determinant(Engine& engine, const Array& a, DType dtype);
std::optional<Array> try_cholesky(Engine& engine, const Array& a, bool upper, DType dtype);
std::optional<std::pair<Array, Array>> try_qr_packed(Engine& engine, const Array& a, DType dtype);
std::optional<Array> try_qr_orthogonal(Engine& engine, const Array& factors, const Array& tau, int64_t columns);
std::optional<Svd> try_singular_values(Engine& engine, const Array& a, Vectors vectors, DType dtype);
std::optional<Eigen> try_hermitian_eigenvalues(Engine& engine, const Array& a, bool upper, bool vectors, DType dtype);

}  // namespace tessera::on_device
