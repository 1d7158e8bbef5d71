// Kernels over host memory, done by a device piece by piece.
#include "tessera/engine/device/tiles.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/copy_guard.h"
#include "tessera/engine/device/device_runner.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using ir::Opcode;
using ir::Value;
using runtime::Buffer;

namespace {

bool is_index_0(const ir::Kernel& kernel, Value v) { return kernel.instructions[v].op == Opcode::index && kernel.instructions[v].imm == 0; }

/// Elements of an axis a lane takes when this is its index: 0 when all lanes may take all of it.
std::optional<int64_t> elements_a_lane(const ir::Kernel& kernel, Value index) {
  const ir::Instruction& i = kernel.instructions[index];
  if (i.op == Opcode::index) return i.imm == 0 ? 1 : 0;
  if (i.op == Opcode::constant) return 0;
  if (i.op != Opcode::region_arg) return {};
  // A fold over everything, or over the lane's own chunk.
  for (Value v = 0; v < static_cast<Value>(kernel.instructions.size()); ++v) {
    if (kernel.instructions[v].op != Opcode::reduce) continue;
    const std::vector<Value>& arguments = kernel.region(v, 0).arg_values;
    if (std::find(arguments.begin(), arguments.end(), index) == arguments.end()) continue;
    const Value lower = kernel.operands(v)[0];
    if (kernel.instructions[lower].op == Opcode::constant) return 0;
    if (kernel.instructions[lower].op != Opcode::mul || !is_index_0(kernel, kernel.operands(lower)[0])) return {};
    const ir::Instruction& size = kernel.instructions[kernel.operands(lower)[1]];
    if (size.op != Opcode::constant) return {};
    return kernel.constants[size.imm].as_int();
  }
  return {};
}

}  // namespace

std::optional<std::vector<TiledAxis>> find_tiling(const ir::Kernel& kernel) {
  if (kernel.ndim == 0 || !kernel.arrays.empty()) return {};
  std::vector<std::optional<TiledAxis>> found(kernel.buffers.size());
  for (Value v = 0; v < static_cast<Value>(kernel.instructions.size()); ++v) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.op == Opcode::atomic) return {};
    if (i.op != Opcode::load && i.op != Opcode::store) continue;
    const std::span<const Value> indices = kernel.operands(v).subspan(i.op == Opcode::store ? 1 : 0);
    TiledAxis tiled;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const std::optional<int64_t> step = elements_a_lane(kernel, indices[axis]);
      if (!step || (*step > 0 && tiled.axis >= 0)) return {};
      if (*step > 0) tiled = {static_cast<int>(axis), *step};
    }
    std::optional<TiledAxis>& known = found[i.imm];
    if (known && (known->axis != tiled.axis || known->step != tiled.step)) return {};
    known = tiled;
    if (tiled.axis < 0 && kernel.buffers[i.imm].writable) return {};
  }
  std::vector<TiledAxis> tiling;
  for (const std::optional<TiledAxis>& tiled : found) tiling.push_back(tiled.value_or(TiledAxis{}));
  return tiling;
}

ByteRange touched_bytes(const ir::Kernel& kernel, uint32_t buffer, const TiledAxis& tiled, const ir::KernelArguments& arguments, int64_t begin,
                        int64_t end) {
  size_t first_axis = 0;
  for (uint32_t k = 0; k < buffer; ++k) first_axis += kernel.buffers[k].ndim;
  ByteRange range{.elements = 1};
  range.end = itemsize(kernel.buffers[buffer].dtype);
  for (int axis = 0; axis < kernel.buffers[buffer].ndim; ++axis) {
    const int64_t stride = arguments.strides[first_axis + static_cast<size_t>(axis)], length = arguments.dimensions[first_axis + static_cast<size_t>(axis)];
    const int64_t low = axis == tiled.axis ? std::min(begin * tiled.step, length) : 0;
    const int64_t high = axis == tiled.axis ? std::min(end * tiled.step, length) : length;
    if (high <= low) return {};
    range.begin += std::min(low * stride, (high - 1) * stride);
    range.end += std::max(low * stride, (high - 1) * stride);
    range.elements *= stride == 0 ? 1 : high - low;
  }
  return range;
}

namespace {

/// The lanes that go through the device at once, and the room each buffer's part of them takes.
struct Tile {
  int64_t lanes = 0;
  std::vector<int64_t> nbytes;
};

/// As many lanes as fit; none when not even one does.
Tile choose_tile(const ir::Kernel& kernel, const std::vector<TiledAxis>& tiling, const ir::KernelArguments& arguments, int64_t most_bytes) {
  const int64_t lanes = arguments.extents[0];
  for (int64_t at_once = lanes; at_once > 0; at_once /= 2) {
    Tile tile{.lanes = at_once};
    for (uint32_t k = 0; k < kernel.buffers.size(); ++k) {
      const ByteRange range = touched_bytes(kernel, k, tiling[k], arguments, 0, at_once);
      tile.nbytes.push_back(range.end - range.begin);
    }
    if (std::accumulate(tile.nbytes.begin(), tile.nbytes.end(), int64_t{0}) <= most_bytes) return tile;
  }
  return {};
}

}  // namespace

bool DeviceRunner::can_tile(const plan::KernelStep& step) { return has_work(step) && find_tiling(*step.kernel).has_value(); }

/// Each part comes in, is computed and goes home before the next one; results are the host's. False when nothing was done.
bool DeviceRunner::run_by_tiles(const plan::KernelStep& step, const ir::KernelArguments& arguments, codegen::Compiler* compiler) {
  constexpr int64_t enough_bytes = int64_t{256} << 20;
  if (!can_tile(step)) return false;
  const ir::Kernel& kernel = *step.kernel;
  const std::vector<TiledAxis> tiling = *find_tiling(kernel);
  const codegen::DeviceParameters at(kernel);
  if (!at.by_value() || copy_guard().to_device == CopyRule::error || copy_guard().from_device == CopyRule::error) return false;
  DeviceKernel& compiled = kernels_.find_or_compile(wanted_kernel(step, device_), compiler);
  if (!compiled.program) return false;
  kernels_.advance(compiled, step.work);
  kernels_.make_better(compiler);
  std::vector<Ref<Buffer>> parts;
  Ref<Buffer> events;
  const size_t event_bytes = 4 * static_cast<size_t>(kernel.flag_slots);
  Tile tile;
  for (int64_t most = std::min(enough_bytes, device_.capacity() / 4); parts.empty(); most /= 2) {
    tile = choose_tile(kernel, tiling, arguments, most);
    if (tile.lanes == 0) return false;
    try {
      if (event_bytes) events = device_.allocate(event_bytes);
      for (const int64_t nbytes : tile.nbytes) parts.push_back(device_.allocate(static_cast<size_t>(nbytes)));
    } catch (const OutOfMemory&) {
      parts.clear();
      if (tile.lanes == 1) return false;
    }
  }
  runtime::Stream& stream = device_.stream();
  if (event_bytes) stream.fill_zero(events->data(), event_bytes);
  std::vector<char> block = make_block(step);
  const auto put = [&](int64_t offset, const void* from, size_t nbytes) { std::memcpy(block.data() + offset, from, nbytes); };
  put(at.scalars, arguments.scalars, 16 * kernel.scalars.size());
  const char* flags = event_bytes ? events->data() : nullptr;
  put(at.flags, &flags, 8);
  // Of all lanes: the number of threads in a block is written into the kernel.
  const runtime::Grid grid = choose_grid(compiled.form, step.extents);
  for (int64_t begin = 0; begin < step.extents[0]; begin += tile.lanes) {
    const int64_t end = std::min(begin + tile.lanes, step.extents[0]);
    std::vector<ByteRange> ranges;
    for (uint32_t k = 0; k < kernel.buffers.size(); ++k) {
      const ByteRange range = touched_bytes(kernel, k, tiling[k], arguments, begin, end);
      const bool is_whole = range.elements * itemsize(kernel.buffers[k].dtype) == range.end - range.begin;
      const bool is_there = begin > 0 && tiling[k].axis < 0;
      ranges.push_back(range);
      const char* address = parts[k]->data() - range.begin;
      put(at.buffers + 8 * static_cast<int64_t>(k), &address, 8);
      // Between the elements of a result lies what is to stay as it is.
      if (is_there || (kernel.buffers[k].writable && is_whole)) continue;
      watch_copy_in(nullptr, range.end - range.begin, device_);
      stream.copy_in(parts[k]->data(), arguments.buffers[k] + range.begin, static_cast<size_t>(range.end - range.begin));
      profile::add(profile::Counter::copies_to_device);
      profile::add(profile::Counter::bytes_to_device, range.end - range.begin);
    }
    put(at.begin, &begin, 8);
    put(at.end, &end, 8);
    profile::add(profile::Counter::device_launches);
    stream.launch(*compiled.program, grid, block);
    for (uint32_t k = 0; k < kernel.buffers.size(); ++k) {
      if (!kernel.buffers[k].writable) continue;
      const int64_t nbytes = ranges[k].end - ranges[k].begin;
      watch_copy_out(nullptr, nbytes, device_);
      stream.copy_out(arguments.buffers[k] + ranges[k].begin, parts[k]->data(), static_cast<size_t>(nbytes));
      profile::add(profile::Counter::copies_from_device);
      profile::add(profile::Counter::bytes_from_device, nbytes);
    }
  }
  std::vector<uint32_t> happened(kernel.flag_slots);
  if (event_bytes) stream.copy_out(reinterpret_cast<char*>(happened.data()), events->data(), event_bytes);
  for (size_t k = 0; k < happened.size(); ++k) arguments.flags[k] |= happened[k];
  return true;
}

}  // namespace tessera::engine
