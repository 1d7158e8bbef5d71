#include "tessera/engine/kernels/launch_arguments.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/local_array.h"
#include "tessera/engine/support/calls.h"

namespace tessera::engine {

namespace {

constexpr size_t most_described = 64;  // arrays of which a layout has bits

struct Limit {
  const char* what;
  int64_t value, most;
};

bool is_contiguous_along_rows(const View& view) {
  return view.ndim() > 0 && (view.strides[view.ndim() - 1] == view.itemsize() || view.shape[view.ndim() - 1] <= 1);
}

}  // namespace

void check_shape(const ir::Kernel& kernel, const LaunchShape& shape, int64_t most_shared) {
  check_shape(kernel.name, shape.shared_bytes > 0 ? static_shared_bytes(kernel) : 0, shape, most_shared);
}

void check_shape(std::string_view name, int64_t static_bytes, const LaunchShape& shape, int64_t most_shared) {
  // CUDA's limits for every device since compute capability 3.0.
  const Limit limits[] = {{"grid x", shape.grid[0], 2147483647}, {"grid y", shape.grid[1], 65535},
                          {"grid z", shape.grid[2], 65535},      {"block x", shape.block[0], 1024},
                          {"block y", shape.block[1], 1024},     {"block z", shape.block[2], 64}};
  for (const Limit& limit : limits) {
    require<ValueError>(limit.value >= 1, "launch of {}: {} is {}; a launch needs at least 1", name, limit.what,
                        limit.value);
    require<ValueError>(limit.value <= limit.most, "launch of {}: {} is {}; the limit is {}", name, limit.what,
                        limit.value, limit.most);
  }
  constexpr int64_t most_threads = 1024;
  require<ValueError>(shape.threads() <= most_threads,
                      "launch of {}: {} x {} x {} = {} threads a block; the limit is {}", name, shape.block[0],
                      shape.block[1], shape.block[2], shape.threads(), most_threads);
  require<ValueError>(shape.shared_bytes >= 0, "launch of {}: {} bytes of dynamic shared memory", name,
                      shape.shared_bytes);
  require<ValueError>(shape.shared_bytes == 0 || static_bytes + shape.shared_bytes <= most_shared,
                      "launch of {}: {} bytes of dynamic shared memory and {} of shared arrays; a block's limit is {}",
                      name, shape.shared_bytes, static_bytes, most_shared);
}

int64_t resident_blocks(const runtime::Program& program, int64_t threads, int64_t shared_bytes,
                        const runtime::Device& device) {
  const int blocks = program.blocks_a_multiprocessor(static_cast<int>(threads), static_cast<size_t>(shared_bytes));
  return int64_t{blocks} * device.facts().multiprocessors;
}

void check_meets(std::string_view name, const runtime::Program& program, const LaunchShape& shape,
                 const runtime::Device& device) {
  const int64_t resident = resident_blocks(program, shape.threads(), shape.shared_bytes, device);
  require<ValueError>(shape.blocks() <= resident,
                      "cooperative launch of {}: {} blocks; the device runs {} of them at a time, and their threads "
                      "wait for each other",
                      name, shape.blocks(), resident);
}

namespace {

std::string name_of_array(const LaunchShape& shape, size_t k) {
  return shape.names && k < shape.names->size() ? (*shape.names)[k] : format("array {}", k);
}

/// Functions in other code read arrays by addresses alone.
void check_addresses(const ir::Kernel& kernel, const LaunchShape& shape, std::span<const Array> arrays) {
  for (const ir::Instruction& i : kernel.instructions) {
    if (i.op != ir::Opcode::address || arrays[i.imm].view.is_c_contiguous()) continue;
    throw ValueError(
        format("launch of {}: {} goes to other code by its address, and its elements lie apart: pass a copy",
               kernel.name, name_of_array(shape, i.imm)));
  }
}

}  // namespace

void check_operands(const ir::Kernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                    std::span<const Scalar> scalars) {
  require<TypeError>(arrays.size() == kernel.buffers.size() && scalars.size() == kernel.scalars.size(),
                     "launch of {}: {} arrays and {} scalars are given; it takes {} and {}", kernel.name, arrays.size(),
                     scalars.size(), kernel.buffers.size(), kernel.scalars.size());
  for (size_t k = 0; k < arrays.size(); ++k) {
    const ir::BufferParam& param = kernel.buffers[k];
    const View& view = arrays[k].view;
    if (view.dtype != param.dtype || view.ndim() != param.ndim)
      throw TypeError(format("launch of {}: {} has {} axes of {}; the kernel takes {} of {}", kernel.name,
                             name_of_array(shape, k), view.ndim(), name(view.dtype), int{param.ndim},
                             name(param.dtype)));
    if (param.writable && !arrays[k].storage->writable)
      throw ValueError(
          format("launch of {}: the kernel writes {}, which is read-only", kernel.name, name_of_array(shape, k)));
    if (!has_whole_steps(view))
      throw ValueError(format("launch of {}: the elements of {} are not aligned: pass a copy", kernel.name,
                              name_of_array(shape, k)));
  }
  if (!kernel.foreign.empty()) check_addresses(kernel, shape, arrays);
  for (size_t k = 0; k < scalars.size(); ++k)
    require<TypeError>(scalars[k].dtype == kernel.scalars[k], "launch of {}: scalar {} is {}; the kernel takes {}",
                       kernel.name, k, name(scalars[k].dtype), name(kernel.scalars[k]));
}

LaunchArguments make_arguments(const LaunchShape& shape, std::span<const Array> arrays, std::span<const Scalar> scalars,
                               std::span<char* const> memory) {
  LaunchArguments made;
  made.extents = shape.extents();
  made.shared_bytes = shape.shared_bytes;
  made.check = shape.check;
  size_t axes = 0;
  for (const Array& array : arrays) axes += static_cast<size_t>(array.view.ndim());
  made.buffers.resize(arrays.size());
  made.strides.resize(axes);
  made.dimensions.resize(axes);
  size_t first = 0;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const View& view = arrays[k].view;
    made.buffers[k] = memory[k] + view.offset;
    for (int axis = 0; axis < view.ndim(); ++axis, ++first) {
      made.strides[first] = view.strides[axis];
      made.dimensions[first] = view.shape[axis];
    }
  }
  made.scalars.resize(2 * scalars.size());
  for (size_t k = 0; k < scalars.size(); ++k) std::memcpy(&made.scalars[2 * k], scalars[k].bytes, 16);
  return made;
}

namespace {

/// Whether elements of the views may be the same, where their ranges of bytes meet: fields of records lie between each
/// other.
bool may_meet(const View& a, const char* memory_of_a, View b, const char* memory_of_b) {
  b.offset += memory_of_b - memory_of_a;
  return overlap(a, b) != Overlap::disjoint;
}

template <class ViewAt>
LaunchLayout find_layout(const ir::Kernel& kernel, size_t arrays, const ViewAt& view_at,
                         std::span<char* const> memory) {
  LaunchLayout layout;
  const size_t count = std::min(arrays, most_described);
  LocalArray<std::pair<const char*, const char*>, most_described> ranges(count);  // the bytes of each array
  for (size_t k = 0; k < count; ++k) {
    const View& view = view_at(k);
    if (is_contiguous_along_rows(view)) layout.contiguous |= uint64_t{1} << k;
    if (!memory[k]) continue;
    const auto [low, high] = view.byte_range();
    ranges[k] = {memory[k] + low, memory[k] + high};
  }
  for (size_t written = 0; written < count; ++written) {
    if (!kernel.buffers[written].writable) continue;
    if (kernel.ndim == 0 && !view_at(written).is_injective()) layout.aliased |= uint64_t{1} << written;
    const auto [begin, end] = ranges[written];
    for (size_t k = 0; k < count; ++k)
      if (k != written && ranges[k].first < end && begin < ranges[k].second &&
          may_meet(view_at(written), memory[written], view_at(k), memory[k]))
        layout.aliased |= uint64_t{1} << k | uint64_t{1} << written;
  }
  return layout;
}

}  // namespace

LaunchLayout layout_of(const ir::Kernel& kernel, std::span<const Array> arrays, std::span<char* const> memory) {
  return find_layout(kernel, arrays.size(), [&](size_t k) -> const View& { return arrays[k].view; }, memory);
}

LaunchLayout layout_of(const ir::Kernel& kernel, std::span<const View> views, std::span<char* const> memory) {
  return find_layout(kernel, views.size(), [&](size_t k) -> const View& { return views[k]; }, memory);
}

}  // namespace tessera::engine
