/// QR and singular values of matrices with far more rows than columns, in few passes over the rows.
#pragma once

#include <optional>

#include "tessera/engine/linalg/factorizations.h"

namespace tessera::on_device {

/// The thin factors of a tall matrix, signs as LAPACK's reflections give them.
struct TallQr {
  Array q, r;
};
/// Whether these ways serve it.
bool is_tall(const Array& a);
/// Nothing where the matrix is not tall, or too near to a smaller rank for this way.
std::optional<TallQr> try_tall_qr(Engine& engine, runtime::Device& device, const Array& a, DType dtype);
/// Values, and thin vectors where asked for.
std::optional<Svd> try_tall_svd(Engine& engine, runtime::Device& device, const Array& a, Vectors vectors, DType dtype);

}  // namespace tessera::on_device
