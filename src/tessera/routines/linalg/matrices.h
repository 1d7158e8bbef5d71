/// Matrices in the last two axes of operands, as the factorisations see them.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "tessera/library/device_library.h"
#include "tessera/routines/transpose/transpose.h"

namespace tessera::routines {

inline int64_t rows(const View& a) { return a.shape[a.ndim() - 2]; }
inline int64_t columns(const View& a) { return a.shape.back(); }
inline int64_t least_extent(const View& a) { return std::min(rows(a), columns(a)); }
inline int64_t matrix_count(const View& a) { return a.size() / std::max<int64_t>(1, rows(a) * columns(a)); }
inline View transposed(const View& a) { return a.swap_axes(a.ndim() - 2, a.ndim() - 1); }
inline Elements transposed(const Elements& a) { return with_view(a, transposed(a.view)); }

/// The shape without its last `core` axes.
inline Dims leading(const View& a, int core) {
  Dims shape = a.shape;
  shape.resize(shape.size() - static_cast<size_t>(core));
  return shape;
}
inline Dims with(Dims shape, std::initializer_list<int64_t> extents) {
  for (const int64_t extent : extents) shape.push_back(extent);
  return shape;
}

/// A matrix with far more rows than columns, in device memory: it is factored in few passes over the rows.
bool is_tall(const View& a);

/// The factors of QR that are wanted.
enum class QrParts : uint8_t { thin, full, triangle };
/// The columns of the orthogonal factor.
inline int64_t orthogonal_columns(const View& a, QrParts parts) {
  return parts == QrParts::full && rows(a) > columns(a) ? rows(a) : least_extent(a);
}

/// Makes a result and returns it.
template <class Call>
const Elements& make(Call& call, int k, const Dims& shape, DType dtype) {
  call.make_result(k, shape, dtype);
  return call.result(k);
}

}  // namespace tessera::routines
