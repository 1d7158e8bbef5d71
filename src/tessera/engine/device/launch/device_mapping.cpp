#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"

#include <algorithm>

#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/complex_reductions.h"
#include "tessera/lanes/schedule/narrow.h"
#include "tessera/mapping/lane_cost.h"

namespace tessera::engine {

using codegen::DeviceMapping;
using ir::Opcode;
using ir::Value;

namespace {

struct Body {
  int cost = 0;  // approximate instructions per lane
  int loads = 0;
  bool is_straight = true;       // no control flow, and lanes in any order
  bool may_compile_fast = true;  // no control flow but reductions, and lanes in any order
  bool has_division = false;     // floor division or modulo, of integers or floats
  bool has_reduction = false;
  bool has_ordered_reduction = false;
  bool has_tree = false;
  bool reduces_in_any_order = true;
  bool can_share = true;  // a team may compute it
};

Body inspect(const ir::Kernel& kernel) {
  Body body{.cost = mapping::lane_cost(kernel)};
  for (size_t r = 0; r < kernel.regions.size(); ++r) {
    for (Value v : kernel.regions[r].body) {
      const ir::Instruction& i = kernel.instructions[v];
      body.loads += i.op == Opcode::load;
      body.has_division |= i.op == Opcode::floor_div || i.op == Opcode::floor_mod;
      const bool reads_results = i.op == Opcode::load && kernel.buffers[i.imm].writable;
      if (ir::sees_other_lanes(i.op) || reads_results)
        body.is_straight = body.may_compile_fast = body.can_share = false;
      if (i.region_count) body.is_straight = false;
      if (i.region_count && i.op != Opcode::reduce) body.may_compile_fast = false;
      if (i.op != Opcode::reduce) continue;
      body.has_reduction = true;
      const ir::ReduceKind kind = ir::reduce_kind(i.attr);
      const bool order_matters =
          i.arg_count > 2 || (is_floating(i.type) && (kind == ir::ReduceKind::add || kind == ir::ReduceKind::mul));
      body.reduces_in_any_order &= !order_matters;
      body.has_ordered_reduction |= order_matters && ir::reduce_order(i.attr) == ir::ReduceOrder::sequential;
      body.has_tree |= order_matters && ir::reduce_order(i.attr) != ir::ReduceOrder::sequential;
    }
  }
  body.can_share = body.can_share && kernel.arrays.empty();
  return body;
}

/// Whether the kernel reduces contiguous elements, so that the threads of a team read neighbours.
bool reduces_neighbours(const ir::Kernel& kernel) {
  for (size_t r = 1; r < kernel.regions.size(); ++r) {
    for (Value v : kernel.regions[r].body) {
      const ir::Instruction& i = kernel.instructions[v];
      if (i.op != Opcode::load) continue;
      const Value last = kernel.operands(v).back();
      if (kernel.instructions[last].op == Opcode::region_arg) return true;
    }
  }
  return false;
}

/// Whether a block's threads should share the reductions of 32 neighbouring lanes.
bool takes_slices(const Body& body, const ir::Kernel& kernel, const Dims& extents, int64_t work) {
  if (!body.has_reduction || !body.reduces_in_any_order || !body.can_share || extents.empty() || extents.back() < 16)
    return false;
  int64_t lanes = 1;
  for (int64_t extent : extents) lanes *= extent;
  return work / std::max<int64_t>(1, lanes) >= 64 && lanes < 1 << 18 && !reduces_neighbours(kernel);
}

bool shares_reductions(const Body& body) { return body.has_reduction && !body.has_ordered_reduction && body.can_share; }

int choose_team(const Body& body, const ir::Kernel& kernel, const Dims& extents, int64_t work) {
  if (!shares_reductions(body)) return 1;
  int64_t lanes = 1;
  for (int64_t extent : extents) lanes *= extent;
  const int64_t length = lanes ? work / lanes : 0;
  if (length < 32) return 1;
  // When reducing along another axis, threads of neighbouring lanes read neighbours.
  if (!reduces_neighbours(kernel)) return lanes >= 4096 ? 1 : 512;
  if (length <= 256) return lanes >= 1 << 14 ? 1 : 32;
  if (length <= 2048) return 64;
  return lanes >= 1024 ? 128 : 512;
}

/// Whether a lane reduces a single load; the loads of both parts of a complex number count as one.
bool reduces_one_load(const Body& body, const ir::Kernel& kernel) {
  if (body.loads == 1) return kernel.regions.size() == 2;
  const auto reductions = lanes::find_complex_reductions(kernel);
  return body.loads == 2 && kernel.regions.size() == 3 && reductions.size() == 1 &&
         lanes::load_alike(kernel, reductions.begin()->first, reductions.begin()->second);
}

/// Whether lanes are chunks of a single load, so that a team can load its next MappingLimits::chunk while it reduces
/// the current one.
bool is_double_buffered(const Body& body, const ir::Kernel& kernel, const Dims& extents, int64_t work) {
  if (!shares_reductions(body) || kernel.ndim != 1 || kernel.flag_slots > 0 || !reduces_one_load(body, kernel))
    return false;
  const int64_t lanes = extents.back();
  const bool is_cheap = kernel.regions[1].body.size() <= 4 && kernel.regions.back().body.size() <= 4;
  return is_cheap && lanes >= MappingLimits::few_chunks && work > (lanes - 1) * MappingLimits::chunk &&
         work <= lanes * MappingLimits::chunk && reduces_neighbours(kernel);
}

/// Whether lanes of one or two bytes are packed into words.
bool body_packs_words(const Body& body, const ir::Kernel& kernel, const Dims& extents) {
  return body.is_straight && !extents.empty() && (extents.size() > 1 || body.loads > 2 || body.has_division) &&
         lanes::narrow_size(kernel) > 0;
}

}  // namespace

Operands check_operands(const plan::KernelStep& step) {
  Operands operands{.disjoint = true};
  for (size_t w = 0; w < step.buffers.size(); ++w)
    for (size_t r = 0; r < step.buffers.size() && step.kernel->buffers[w].writable; ++r)
      operands.disjoint &= r == w || step.buffers[r].slot != step.buffers[w].slot;
  return operands;
}

DeviceMapping choose_mapping(const ir::Kernel& kernel, const Dims& extents, int64_t work, int capability,
                             const Operands& operands) {
  DeviceMapping mapping{.capability = capability, .disjoint = operands.disjoint};
  const Body body = inspect(kernel);
  if (takes_slices(body, kernel, extents, work)) {
    mapping.slices = 8;
    mapping.threads = 32;
    return mapping;
  }
  mapping.team = choose_team(body, kernel, extents, work);
  if (is_double_buffered(body, kernel, extents, work)) {
    // Two blocks run at once per multiprocessor; a third one fills the gaps where chunks are long.
    mapping.double_buffered = itemsize(kernel.buffers[0].dtype) > 4 ? 3 : 2;
    mapping.team = 512;
  }
  if (body_packs_words(body, kernel, extents)) {
    mapping.narrow = lanes::narrow_size(kernel);
    mapping.unroll = 32;
    while (mapping.unroll > 4 && extents.back() < 32 * mapping.unroll) mapping.unroll /= 2;
    mapping.threads = static_cast<int>(choose_grid(mapping, extents, 0).threads[0]);
    return mapping;
  }
  return mapping;
}

bool packs_words(const ir::Kernel& kernel, const Dims& extents) {
  return body_packs_words(inspect(kernel), kernel, extents);
}

bool can_share_reductions(const ir::Kernel& kernel) { return shares_reductions(inspect(kernel)); }

bool can_be_epilogue(const ir::Kernel& kernel) {
  const Body body = inspect(kernel);
  return body.can_share && body.may_compile_fast && !body.has_ordered_reduction &&
         body.cost <= MappingLimits::epilogue_text;
}

bool can_compile_fast(const ir::Kernel& kernel) { return kernel.ndim > 0 && inspect(kernel).may_compile_fast; }

DeviceMapping fast_compile_mapping(const ir::Kernel& kernel, const DeviceMapping& mapping) {
  constexpr int warp = 32;
  DeviceMapping fast_compile{.capability = mapping.capability, .fast_compile = true};
  if (mapping.slices > 1) fast_compile.threads = mapping.threads, fast_compile.slices = mapping.slices;
  // A tree reduction takes less text when a team computes it.
  const bool wants_team = mapping.team == 1 && mapping.slices == 1 && kernel.ndim > 0 && inspect(kernel).has_tree &&
                          can_share_reductions(kernel);
  fast_compile.team = wants_team ? warp : mapping.team;
  return fast_compile;
}

}  // namespace tessera::engine
