/// QR and singular values of matrices with far more rows than columns, in few passes over the rows.
#pragma once

#include <optional>

#include "tessera/engine/linalg/factorizations.h"

namespace tessera::on_device {

/// The thin factors of a tall matrix, with the signs of LAPACK's reflections.
struct TallQr {
  Array q, r;
};
/// Whether the matrix is tall enough for the functions below.
bool is_tall(const Array& a);
/// Empty where the matrix is not tall, or is too nearly rank deficient for this method.
std::optional<TallQr> try_tall_qr(Engine& engine, runtime::Device& device, const Array& a, DType dtype);
/// Singular values, and thin singular vectors if requested.
std::optional<Svd> try_tall_svd(Engine& engine, runtime::Device& device, const Array& a, Vectors vectors, DType dtype);

}  // namespace tessera::on_device
