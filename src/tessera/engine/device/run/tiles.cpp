// Runs kernels over host memory on a device, tile by tile.
#include "tessera/engine/device/run/tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <numeric>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/support/limits.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using ir::Opcode;
using ir::Value;
using runtime::Buffer;

namespace {

/// Elements of an axis per lane when this is its index: 0 when every lane may access the whole axis.
std::optional<int64_t> elements_a_lane(const ir::Kernel& kernel, Value index) {
  const ir::Instruction& i = kernel.instructions[index];
  if (i.op == Opcode::index) return i.imm == 0 ? 1 : 0;
  if (i.op == Opcode::constant) return 0;
  if (i.op != Opcode::region_arg) return {};
  // A reduction over the whole axis, or over the lane's own chunk.
  for (Value v = 0; v < static_cast<Value>(kernel.instructions.size()); ++v) {
    if (kernel.instructions[v].op != Opcode::reduce) continue;
    const std::vector<Value>& arguments = kernel.region(v, 0).arg_values;
    if (std::find(arguments.begin(), arguments.end(), index) == arguments.end()) continue;
    const Value lower = kernel.operands(v)[0];
    if (kernel.instructions[lower].op == Opcode::constant) return 0;
    if (kernel.instructions[lower].op != Opcode::mul) return {};
    const ir::Instruction& chunk = kernel.instructions[kernel.operands(lower)[0]];
    if (chunk.op != Opcode::index) return {};
    if (chunk.imm != 0) return 0;  // the chunks are lanes along another axis
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

ByteRange touched_bytes(const ir::Kernel& kernel, uint32_t buffer, const TiledAxis& tiled,
                        const ir::KernelArguments& arguments, int64_t begin, int64_t end) {
  size_t first_axis = 0;
  for (uint32_t k = 0; k < buffer; ++k) first_axis += kernel.buffers[k].ndim;
  ByteRange range{.elements = 1};
  range.end = itemsize(kernel.buffers[buffer].dtype);
  for (int axis = 0; axis < kernel.buffers[buffer].ndim; ++axis) {
    const int64_t stride = arguments.strides[first_axis + static_cast<size_t>(axis)],
                  length = arguments.dimensions[first_axis + static_cast<size_t>(axis)];
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

/// The lanes processed on the device at once, and the bytes of each buffer's part of them.
struct LaneTile {
  int64_t lanes = 0;
  std::vector<int64_t> nbytes;
};

/// As many lanes as fit; none when not even one fits.
LaneTile choose_tile(const ir::Kernel& kernel, const std::vector<TiledAxis>& tiling,
                     const ir::KernelArguments& arguments, int64_t most_bytes) {
  const int64_t lanes = arguments.extents[0];
  for (int64_t at_once = lanes; at_once > 0; at_once /= 2) {
    LaneTile tile{.lanes = at_once};
    for (uint32_t k = 0; k < kernel.buffers.size(); ++k) {
      const ByteRange range = touched_bytes(kernel, k, tiling[k], arguments, 0, at_once);
      tile.nbytes.push_back(range.end - range.begin);
    }
    if (std::accumulate(tile.nbytes.begin(), tile.nbytes.end(), int64_t{0}) <= most_bytes) return tile;
  }
  return {};
}

/// Device memory for one tile's part of each buffer; in use until its results are copied to the host.
struct Parts {
  std::vector<Ref<Buffer>> buffers;
  std::future<void> home;
};

}  // namespace

bool DeviceRunner::can_tile(const plan::KernelStep& step) {
  return has_work(step) && find_tiling(*step.kernel).has_value();
}

/// Overlaps the computation of one part with the copy of the next to the device and of the previous to the host, each
/// on a stream and a thread of its own.
class DeviceRunner::Passage {
 public:
  Passage(runtime::Device& device, const ir::Kernel& kernel, const ir::KernelArguments& arguments)
      : device_(device), kernel_(kernel), arguments_(arguments), tiling_(*find_tiling(kernel)) {}

  /// Allocates memory twice for as many lanes as fit; false when not even one fits.
  bool prepare() {
    for (int64_t most = std::min(CopyLimits::part_bytes, device_.capacity() / 8);; most /= 2) {
      tile_ = choose_tile(kernel_, tiling_, arguments_, most);
      if (tile_.lanes == 0) return false;
      try {
        if (event_bytes()) events_ = device_.allocate(event_bytes());
        for (Parts& parts : parts_) {
          for (size_t k = 0; k < tile_.nbytes.size(); ++k) {
            const bool is_shared = &parts != &parts_[0] && tiling_[k].axis < 0;
            parts.buffers.push_back(is_shared ? parts_[0].buffers[k]
                                              : device_.allocate(static_cast<size_t>(tile_.nbytes[k])));
          }
        }
        return true;
      } catch (const OutOfMemory&) {
        for (Parts& parts : parts_) parts.buffers.clear();
        if (tile_.lanes == 1) return false;
      }
    }
  }

  /// `launch` queues the kernel over lanes [begin, end) of the parts; each part begins where its range does.
  template <class Launch>
  void run(int64_t lanes, Launch&& launch) {
    runtime::Stream &work = device_.stream(), &in = device_.inbound();
    if (event_bytes()) work.fill_zero(events_->data(), event_bytes());
    in.wait_for(*work.record());  // earlier work may still use the parts' memory
    for (int64_t begin = 0, iteration = 0; begin < lanes; begin += tile_.lanes, ++iteration) {
      Parts &parts = parts_[iteration % 2], &before = parts_[(iteration + 1) % 2];
      const int64_t end = std::min(begin + tile_.lanes, lanes);
      wait_for(parts);
      // The bytes between the elements of a result are copied in and out with them, so they must include the results of
      // the tile before.
      if (!find_ranges(begin, end)) wait_for(before);
      copy_in(parts, begin == 0);
      work.wait_for(*in.record());
      launch(begin, end, ranges_, parts.buffers);
      copy_small(parts);
    }
    for (Parts& parts : parts_) wait_for(parts);
    std::vector<uint32_t> happened(kernel_.flag_slots);
    if (event_bytes()) work.copy_out(reinterpret_cast<char*>(happened.data()), events_->data(), event_bytes());
    for (size_t k = 0; k < happened.size(); ++k) arguments_.flags[k] |= happened[k];
  }
  const char* events() const { return event_bytes() ? events_->data() : nullptr; }

 private:
  size_t event_bytes() const { return 4 * static_cast<size_t>(kernel_.flag_slots); }
  bool is_whole(uint32_t k) const {
    return ranges_[k].elements * itemsize(kernel_.buffers[k].dtype) == ranges_[k].end - ranges_[k].begin;
  }
  static void wait_for(Parts& parts) {
    if (parts.home.valid()) parts.home.get();
  }
  /// Computes the ranges that these lanes touch; false when results are not contiguous.
  bool find_ranges(int64_t begin, int64_t end) {
    ranges_.clear();
    bool whole = true;
    for (uint32_t k = 0; k < kernel_.buffers.size(); ++k) {
      ranges_.push_back(touched_bytes(kernel_, k, tiling_[k], arguments_, begin, end));
      whole &= !kernel_.buffers[k].writable || is_whole(k);
    }
    return whole;
  }
  void copy_in(const Parts& parts, bool is_first) {
    for (uint32_t k = 0; k < kernel_.buffers.size(); ++k) {
      const bool is_there = !is_first && tiling_[k].axis < 0;
      if (is_there || (kernel_.buffers[k].writable && is_whole(k))) continue;
      const int64_t nbytes = ranges_[k].end - ranges_[k].begin;
      watch_copy_in(nullptr, nbytes, device_);
      device_.inbound().copy_in(parts.buffers[k]->data(), arguments_.buffers[k] + ranges_[k].begin,
                                static_cast<size_t>(nbytes));
      profile::add(profile::Counter::copies_to_device);
      profile::add(profile::Counter::bytes_to_device, nbytes);
    }
  }
  void copy_small(Parts& parts) {
    std::vector<runtime::CopyOut> results;
    for (uint32_t k = 0; k < kernel_.buffers.size(); ++k) {
      if (!kernel_.buffers[k].writable) continue;
      const int64_t nbytes = ranges_[k].end - ranges_[k].begin;
      watch_copy_out(nullptr, nbytes, device_);
      results.push_back(
          {arguments_.buffers[k] + ranges_[k].begin, parts.buffers[k]->data(), static_cast<size_t>(nbytes)});
      profile::add(profile::Counter::copies_from_device);
      profile::add(profile::Counter::bytes_from_device, nbytes);
    }
    runtime::Stream& out = device_.outbound();
    const std::shared_ptr<runtime::Event> computed = device_.stream().record();
    parts.home = std::async(std::launch::async, [&out, computed, results = std::move(results)] {
      out.wait_for(*computed);
      out.copy_out(results);
    });
  }

  runtime::Device& device_;
  const ir::Kernel& kernel_;
  const ir::KernelArguments& arguments_;
  const std::vector<TiledAxis> tiling_;
  LaneTile tile_;
  std::vector<ByteRange> ranges_;  // of the tile
  Ref<Buffer> events_;
  std::array<Parts, 2> parts_;  // last member: its destructor waits before the other members are destroyed
};

/// Results go to host memory. False when nothing was done.
bool DeviceRunner::run_by_tiles(const plan::KernelStep& step, const ir::KernelArguments& arguments,
                                codegen::Compiler* compiler) {
  if (!can_tile(step)) return false;
  const ir::Kernel& kernel = *step.kernel;
  const codegen::DeviceParameters at(kernel);
  if (!at.by_value() || copy_guard().to_device == CopyRule::error || copy_guard().from_device == CopyRule::error)
    return false;
  const WantedKernel wanted = wanted_kernel(step, device_, LaunchOver::passages);
  DeviceKernel& compiled = kernels_.find_or_compile(wanted, compiler);
  if (!compiled.program) return false;
  kernels_.advance(compiled, step.work);
  kernels_.make_better(compiler);
  Passage passage(device_, kernel, arguments);
  if (!passage.prepare()) return false;
  std::vector<char> block = make_block(step);
  const auto put = [&](int64_t offset, const void* from, size_t nbytes) {
    std::memcpy(block.data() + offset, from, nbytes);
  };
  if (!kernel.scalars.empty()) put(at.scalars, arguments.scalars, 16 * kernel.scalars.size());
  const char* flags = passage.events();
  put(at.flags, &flags, 8);
  const bool is_mapped = compiled.mapping.mapped;
  const runtime::Grid grid =
      is_mapped ? runtime::Grid{} : choose_grid(compiled.mapping, step.extents, device_.facts().multiprocessors);
  const auto launch = [&](int64_t begin, int64_t end, std::span<const ByteRange> ranges,
                          std::span<const Ref<Buffer>> parts) {
    for (size_t k = 0; k < parts.size(); ++k) {
      const char* address = parts[k]->data() - ranges[k].begin;
      put(at.buffers + 8 * static_cast<int64_t>(k), &address, 8);
    }
    put(at.begin, &begin, 8);
    put(at.end, &end, 8);
    profile::add(profile::Counter::device_launches);
    // For a kernel without a mapping the grid is that of all lanes: its number of threads is fixed.
    if (!is_mapped) return device_.stream().launch(*compiled.program, grid, block);
    const mapping::LaunchShape shape = mapping::shape_of_part(*wanted.mapped, end - begin);
    device_.stream().launch(*compiled.program, grid_of(shape), mapped_block(*wanted.mapped, shape, kernel, block));
  };
  try {
    passage.run(step.extents[0], launch);
  } catch (const runtime::DeviceFailure&) {
    device_.stream().synchronize();  // throws the failure of this stream, too
    throw;
  }
  return true;
}

}  // namespace tessera::engine
