#include "tessera/mapping/columns/find_places.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace tessera::mapping {

namespace {

/// Rows or lanes between two operands that a column of rows keeps in registers.
constexpr int64_t farthest = 4;

/// The distance in rows and lanes between a buffer and another one over the same memory, if it is small.
std::optional<PlaceIn> place_in(const ir::Kernel& kernel, const Operands& operands, size_t of, size_t own) {
  const Dims& strides = operands.strides[own];
  const int64_t item = itemsize(kernel.buffers[of].dtype), row = strides[0],
                distance = operands.offsets[own] - operands.offsets[of];
  if (kernel.buffers[of].writable || operands.memory[of] != operands.memory[own] || operands.strides[of] != strides ||
      std::abs(row) <= 2 * farthest * item)
    return {};
  const int64_t rows = std::llround(static_cast<double>(distance) / static_cast<double>(row)),
                rest = distance - rows * row;
  if (std::abs(rows) > farthest || rest % item != 0 || std::abs(rest / item) > farthest) return {};
  return PlaceIn{static_cast<int>(of), static_cast<int>(rows), static_cast<int>(rest / item)};
}

}  // namespace

std::vector<PlaceIn> find_places(const ir::Kernel& kernel, const Operands& operands) {
  std::vector<PlaceIn> places;
  if (operands.memory.empty()) return places;
  for (size_t k = 0; k < kernel.buffers.size(); ++k) {
    const int number = static_cast<int>(k);
    PlaceIn& own = places.emplace_back(PlaceIn{.buffer = number});
    const ir::BufferParam& buffer = kernel.buffers[k];
    if (buffer.writable || buffer.inner != ir::InnerStride::contiguous || operands.strides[k].size() != 2) continue;
    for (size_t of = 0; of < k && own.buffer == number; ++of) {
      const bool is_first = places[of].buffer == static_cast<int>(of);
      if (is_first && kernel.buffers[of].dtype == buffer.dtype) own = place_in(kernel, operands, of, k).value_or(own);
    }
  }
  const auto spares = [](const PlaceIn& a, const PlaceIn& b) {
    return a.buffer == b.buffer && a.lanes == b.lanes && a.rows != b.rows;
  };
  for (const PlaceIn& a : places)
    if (std::ranges::any_of(places, [&](const PlaceIn& b) { return spares(a, b); })) return places;
  return {};
}

}  // namespace tessera::mapping
