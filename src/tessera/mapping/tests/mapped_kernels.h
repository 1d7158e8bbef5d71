/// MappedKernels: kernels over elements in every mapping that applies to them, whatever suits their operands, for tests
/// that compare executions.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/mapping/columns/map_columns.h"
#include "tessera/mapping/strips/map_strips.h"
#include "tessera/mapping/tiles/map_tiles.h"
#include "tessera/mapping/transposed/map_transposed.h"

namespace tessera::mapping {

struct NamedMapping {
  std::string name;
  Mapped mapped;
};

/// Tiles of several shapes.
inline void add_tiles(std::vector<NamedMapping>& list, const ir::Kernel& kernel, const Operands& operands) {
  const std::pair<const char*, Tiling> tilings[] = {
      {"lanes", {.threads = 32}},
      {"lanes, three a thread", {.threads = 8, .rows = 2, .tiles = 3}},
      {"tiles of four", {.unroll = 4, .threads = 8, .rows = 4}},
      {"tiles of two, two a thread", {.unroll = 2, .threads = 4, .tiles = 2}},
      {"tiles of runs", {.width = 4, .unroll = 8, .threads = 4}},
      {"tiles of two runs of two", {.width = 2, .unroll = 4, .threads = 8, .rows = 2}},
  };
  for (const auto& [name, tiling] : tilings) list.push_back({name, write_tiles(kernel, operands, {}, tiling)});
  if (kernel.ndim < 2) return;
  const Tiling flat{.unroll = 4, .flat = operands.extents.back(), .threads = 16};
  list.push_back({"flat tiles", write_tiles(kernel, operands, {}, flat)});
}

/// All mappings of a kernel over such a space: as many operands as fit are read through shared memory along each axis
/// in turn. With `in_parts` for launches of parts of the first axis.
inline std::vector<NamedMapping> all_mappings(const ir::Kernel& kernel, const std::vector<int64_t>& extents,
                                              bool is_disjoint, bool in_parts) {
  std::vector<NamedMapping> list;
  if (!is_straight(kernel)) return list;
  Operands operands{.in_parts = in_parts};
  if (!is_disjoint) operands.memory.assign(kernel.buffers.size(), 0);
  for (int64_t extent : extents) operands.extents.push_back(extent);
  if (!fits_words(operands.extents)) return list;
  add_tiles(list, kernel, operands);
  if (kernel.ndim < 2) return list;
  const int lanes = kernel.ndim - 1;
  for (const int rows : {1, 2, 5})
    if (kernel.ndim == 2 && is_disjoint && (in_parts || extents[0] >= rows))
      list.push_back({"columns of " + std::to_string(rows), write_columns(kernel, operands, {}, {}, rows)});
  for (int axis = 0; axis < lanes; ++axis) {
    operands.strides.clear();
    for (const ir::BufferParam& buffer : kernel.buffers) {
      Dims& strides = operands.strides.emplace_back();
      for (int k = 0; k < kernel.ndim; ++k) strides.push_back(k == axis ? itemsize(buffer.dtype) : 4096);
    }
    const auto add = [&](const char* name, int64_t elements, auto&& write) {
      const auto turned = find_turned(kernel, operands, {}, [&](int k) { return k == axis ? elements : 0; });
      if (turned) list.push_back({name + std::to_string(axis), write(*turned)});
    };
    add("squares along axis ", 32 * 33,
        [&](const Turned& turned) { return write_squares(kernel, operands, {}, turned); });
    for (const bool last_is_short : {true, false}) {
      const int64_t across = extents[static_cast<size_t>(last_is_short ? lanes : axis)];
      if (across > 20 || (in_parts && !last_is_short && axis == 0)) continue;
      add(last_is_short ? "strips with short rows along axis " : "strips of few rows along axis ", 256 * (across | 1),
          [&](const Turned& turned) { return write_strips(kernel, operands, {}, turned, last_is_short); });
    }
  }
  return list;
}

/// The arguments of a mapped kernel, from those of the one that it maps.
class MappedArguments {
 public:
  MappedArguments(const Mapped& mapped, const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end)
      : scalars_(16 * mapped.kernel.scalars.size()),
        extents_(shape_of_part(mapped, end[0] - begin[0]).extents()),
        arguments_(arguments) {
    write_scalars(mapped, arguments.scalars, {begin, end, arguments.extents}, scalars_.data());
    arguments_.scalars = scalars_.data();
    arguments_.extents = extents_.data();
  }
  const ir::KernelArguments& arguments() const { return arguments_; }
  const int64_t* begin() const { return begin_.data(); }
  const int64_t* end() const { return extents_.data(); }

 private:
  std::vector<char> scalars_;
  std::array<int64_t, 6> extents_, begin_{};
  ir::KernelArguments arguments_;
};

}  // namespace tessera::mapping
