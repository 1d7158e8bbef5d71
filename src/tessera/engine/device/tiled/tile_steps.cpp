#include "tessera/engine/device/tiled/tile_steps.h"

#include <algorithm>
#include <cstdlib>

#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/device/run/tiles.h"
#include "tessera/engine/device/tiled/clip_boxes.h"

namespace tessera::engine {

namespace {

/// How lanes that advance along `tiled` of a buffer touch its slot.
tile::Access access_of(const plan::KernelStep& step, size_t k, const TiledAxis& tiled, const plan::Request& request) {
  const plan::Binding& binding = step.buffers[k];
  const ir::BufferParam& buffer = step.kernel->buffers[k];
  tile::Access access{.slot = binding.slot,
                      .writes = buffer.writable,
                      .offset = offset_of(binding, request),
                      .inside = {0, itemsize(buffer.dtype)}};
  for (size_t axis = 0; axis < binding.strides.size(); ++axis) {
    const int64_t stride = binding.strides[axis], length = binding.dimensions[axis];
    if (length == 0) access.length = 0;
    if (static_cast<int>(axis) == tiled.axis) {
      access.stride = stride, access.elements = tiled.step, access.length = length;
      continue;
    }
    const int64_t reach = (length - 1) * stride;
    (reach < 0 ? access.inside.begin : access.inside.end) += reach;
  }
  return access;
}

}  // namespace

std::vector<tile::Step> tile_steps(const plan::Plan& plan, const plan::Request& request) {
  std::vector<tile::Step> steps;
  for (const plan::Step& from : plan.steps) {
    tile::Step step;
    for (const plan::CopyStep& copy : from.copies) {
      tile::Move move{.from = copy.from, .to = copy.to, .boxes = {}};
      for (const plan::ByteBox& box : boxes_for(copy, request)) move.boxes.push_back(range_of(box));
      step.moves.push_back(std::move(move));
    }
    if (has_work(from.kernel)) {
      std::optional<std::vector<TiledAxis>> tiling;
      if (!from.kernel.is_strip) tiling = find_tiling(*from.kernel.kernel);
      step.lanes = from.kernel.extents.empty() ? 1 : from.kernel.extents[0];
      step.is_strip = from.kernel.is_strip;
      step.is_whole = !tiling && !step.is_strip;
      for (size_t k = 0; k < from.kernel.buffers.size(); ++k)
        step.accesses.push_back(access_of(from.kernel, k, tiling ? (*tiling)[k] : TiledAxis{}, request));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<int64_t> row_bytes(const plan::Plan& plan, const plan::Request& request) {
  std::vector<int64_t> rows(plan.slots.size(), 1);
  for (int node = 0; node < request.size(); ++node) {
    const int32_t slot = plan.result_slots[static_cast<size_t>(node)];
    if (slot < 0) continue;
    const graph::Form& form = *request.node(node).form;
    int64_t& row = rows[static_cast<size_t>(slot)];
    for (size_t axis = 0; axis < form.shape.size(); ++axis)
      if (form.shape[axis] > 1) row = std::max(row, std::abs(form.strides[axis]));
  }
  return rows;
}

}  // namespace tessera::engine
