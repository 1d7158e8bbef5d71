// Which kernels process several rows per thread: those where a row's loads include elements that the neighbouring rows
// load too.
#include <algorithm>
#include <cmath>
#include <optional>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"

namespace tessera::engine {

using codegen::PlaceIn;

namespace {

/// The distance in rows and lanes between a buffer and another one over the same memory, if it is small.
std::optional<PlaceIn> place_in(const plan::KernelStep& step, int of, const plan::Binding& own) {
  const plan::Binding& other = step.buffers[static_cast<size_t>(of)];
  const ir::BufferParam& buffer = step.kernel->buffers[static_cast<size_t>(of)];
  const int64_t item = itemsize(buffer.dtype), row = own.strides[0], distance = own.offset - other.offset;
  if (buffer.writable || other.slot != own.slot || other.strides != own.strides ||
      std::abs(row) <= 2 * MappingLimits::farthest * item)
    return {};
  const int64_t rows = std::llround(static_cast<double>(distance) / static_cast<double>(row)),
                rest = distance - rows * row;
  if (std::abs(rows) > MappingLimits::farthest || rest % item != 0 || std::abs(rest / item) > MappingLimits::farthest)
    return {};
  return PlaceIn{of, static_cast<int>(rows), static_cast<int>(rest / item)};
}

}  // namespace

/// Distances between views of one version are part of a plan's identity.
std::vector<PlaceIn> find_places(const plan::KernelStep& step) {
  std::vector<PlaceIn> places;
  for (int k = 0; k < static_cast<int>(step.buffers.size()); ++k) {
    PlaceIn& own = places.emplace_back(PlaceIn{.buffer = k});
    const ir::BufferParam& buffer = step.kernel->buffers[static_cast<size_t>(k)];
    const plan::Binding& binding = step.buffers[static_cast<size_t>(k)];
    if (buffer.writable || buffer.inner != ir::InnerStride::contiguous || binding.strides.size() != 2) continue;
    for (int of = 0; of < k && own.buffer == k; ++of) {
      const bool is_first = places[static_cast<size_t>(of)].buffer == of;
      if (is_first && step.kernel->buffers[static_cast<size_t>(of)].dtype == buffer.dtype)
        own = place_in(step, of, binding).value_or(own);
    }
  }
  const auto spares = [](const PlaceIn& a, const PlaceIn& b) {
    return a.buffer == b.buffer && a.lanes == b.lanes && a.rows != b.rows;
  };
  for (const PlaceIn& a : places)
    if (std::any_of(places.begin(), places.end(), [&](const PlaceIn& b) { return spares(a, b); })) return places;
  return {};
}

int choose_rows(const ir::Kernel& kernel, const Dims& extents, const Operands& operands, int cost) {
  if (!operands.disjoint || operands.places.empty() || extents.size() != 2 || cost > MappingLimits::cost_of_8_rows)
    return 1;
  // Elements of eight bytes fill a warp's accesses lane by lane.
  for (const ir::BufferParam& buffer : kernel.buffers)
    if (buffer.inner == ir::InnerStride::strided || itemsize(buffer.dtype) != 8) return 1;
  if (std::min(extents[0], extents[1]) < MappingLimits::column_extent ||
      extents[0] * extents[1] < MappingLimits::column_lanes)
    return 1;
  return cost <= MappingLimits::cost_of_16_rows ? 16 : 8;
}

}  // namespace tessera::engine
