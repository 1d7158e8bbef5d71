#include "tessera/plan/wave_parts.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::plan {

namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// The bytes that all rows touch together.
RowAccess whole(const RowAccess& access, int64_t rows) {
  RowAccess all = access;
  const int64_t span = (rows - 1) * access.pitch;
  (span < 0 ? all.low : all.high) += span;
  all.pitch = 0;
  return all;
}

/// Accesses move upwards in memory from row to row; for a negative pitch every row counts as touching all of it.
RowAccess upwards(RowAccess access, int64_t rows) { return access.pitch < 0 ? whole(access, rows) : access; }

/// Number of indices of the outermost axis in a row of the memory.
int64_t unit_of(const Plan& plan, const KernelStep& kernel, const std::vector<int64_t>& pitches) {
  int64_t unit = 1;
  for (const Binding& binding : kernel.buffers) {
    const int64_t stride = std::abs(binding.strides[0]);
    const int64_t pitch = pitches[memory_of(plan, binding.slot)];
    if (stride > 0 && pitch % stride == 0) unit = std::max(unit, pitch / stride);
  }
  return std::min(unit, kernel.extents[0]);
}

bool is_backwards(const KernelStep& kernel) {
  return std::all_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Binding& b) { return b.strides[0] <= 0; });
}

RowPart kernel_part(const Plan& plan, int32_t step, const std::vector<int64_t>& pitches) {
  const KernelStep& kernel = plan.steps[step].kernel;
  const int64_t extent = kernel.extents[0];
  RowPart result;
  WavePart& part = result.part;
  part.step = step;
  part.unit = unit_of(plan, kernel, pitches);
  part.rows = (extent + part.unit - 1) / part.unit;
  part.backwards = is_backwards(kernel);
  for (size_t k = 0; k < kernel.buffers.size(); ++k) {
    const Binding& binding = kernel.buffers[k];
    const ir::BufferParam& param = kernel.kernel->buffers[k];
    int64_t stride = binding.strides[0];
    int64_t low = binding.offset;
    if (part.backwards) low += (extent - 1) * stride, stride = -stride;
    int64_t high = low + itemsize(param.dtype);
    (stride < 0 ? low : high) += (part.unit - 1) * stride;
    for (size_t axis = 1; axis < kernel.extents.size(); ++axis) {
      const int64_t span = (kernel.extents[axis] - 1) * binding.strides[axis];
      (span < 0 ? low : high) += span;
    }
    const RowAccess access{memory_of(plan, binding.slot), param.writable, low, high, part.unit * stride};
    result.accesses.push_back(upwards(access, part.rows));
  }
  return result;
}

/// Splits the box along the axis whose stride is the pitch, or its contiguous run when that is long; else the box is
/// one row.
void cut_box(const ByteBox& box, int64_t pitch, WavePart& part, int64_t& bytes_a_row) {
  part.axis = -1;
  part.unit = std::max<int64_t>(1, box.nbytes);
  for (size_t axis = 0; axis < box.counts.size() && pitch > 0; ++axis) {
    if (box.strides[axis] != pitch) continue;
    part.axis = static_cast<int32_t>(axis);
    part.unit = 1;
    part.rows = box.counts[axis];
    bytes_a_row = pitch;
    return;
  }
  if (box.counts.empty() && pitch > 0 && box.nbytes >= 2 * pitch) {
    part.unit = bytes_a_row = pitch;
    part.rows = (box.nbytes + pitch - 1) / pitch;
  }
}

RowPart copy_part(const Plan& plan, int32_t step, int32_t copy, int32_t box, const std::vector<int64_t>& pitches) {
  const CopyStep& of = plan.steps[step].copies[copy];
  const ByteBox& bytes = of.boxes[box];
  const int32_t from = memory_of(plan, of.from), to = memory_of(plan, of.to);
  RowPart result{.part = {.step = step, .copy = copy, .box = box}};
  int64_t pitch = 0;
  cut_box(bytes, std::max(pitches[from], pitches[to]), result.part, pitch);
  const int64_t run = result.part.axis < 0 ? result.part.unit : bytes.nbytes;
  int64_t high = bytes.offset + run;
  for (size_t axis = 0; axis < bytes.counts.size(); ++axis) {
    if (static_cast<int32_t>(axis) != result.part.axis) high += (bytes.counts[axis] - 1) * bytes.strides[axis];
  }
  result.accesses.push_back({to, true, bytes.offset, high, pitch});
  result.accesses.push_back({from, false, bytes.offset, high, pitch});
  return result;
}

/// As row_distance, for one access of each part.
std::optional<RowDistance> distance(const RowAccess& a, int64_t a_rows, const RowAccess& b, int64_t b_rows) {
  if (a.memory != b.memory || (!a.write && !b.write)) return {};
  const RowAccess all_a = whole(a, a_rows), all_b = whole(b, b_rows);
  if (all_a.high <= all_b.low || all_b.high <= all_a.low) return {};
  if (a_rows == 1 && b_rows == 1) return RowDistance{};
  const int64_t pitch = a_rows > 1 ? a.pitch : b.pitch;
  if (pitch <= 0 || (a_rows > 1 && b_rows > 1 && a.pitch != b.pitch)) return RowDistance{.all = true};
  // [a.low, a.high) + x * pitch overlaps [b.low, b.high) + y * pitch.
  RowDistance rows{.first = floor_div(b.low - a.high, pitch) + 1, .last = floor_div(b.high - a.low - 1, pitch)};
  rows.first = std::max(rows.first, 1 - b_rows);
  rows.last = std::min(rows.last, a_rows - 1);
  if (rows.first > rows.last) return {};
  return rows;
}

}  // namespace

int32_t memory_of(const Plan& plan, int32_t slot) {
  const int32_t block = plan.slots[slot].block;
  if (block < 0) return slot;
  const int32_t from = plan.blocks[block].from;
  return from >= 0 ? from : static_cast<int32_t>(plan.slots.size()) + block;
}

std::vector<int64_t> row_pitches(const Plan& plan, size_t first, size_t end) {
  std::vector<int64_t> pitches(plan.slots.size() + plan.blocks.size(), 0);
  for (size_t k = first; k < end; ++k) {
    for (const Binding& binding : plan.steps[k].kernel.buffers) {
      int64_t& pitch = pitches[memory_of(plan, binding.slot)];
      pitch = std::max(pitch, std::abs(binding.strides[0]));
    }
  }
  return pitches;
}

std::vector<RowPart> row_parts(const Plan& plan, int32_t step, const std::vector<int64_t>& pitches) {
  std::vector<RowPart> parts;
  const std::vector<CopyStep>& copies = plan.steps[step].copies;
  for (size_t c = 0; c < copies.size(); ++c) {
    for (size_t b = 0; b < copies[c].boxes.size(); ++b) {
      parts.push_back(copy_part(plan, step, static_cast<int32_t>(c), static_cast<int32_t>(b), pitches));
    }
  }
  if (plan.steps[step].kernel.kernel) parts.push_back(kernel_part(plan, step, pitches));
  for (RowPart& part : parts) {
    for (const RowAccess& access : part.accesses) {
      const int64_t pitch = pitches[access.memory];
      if (access.write && pitch > 0) part.part.origin = floor_div(access.low, pitch);
    }
  }
  return parts;
}

std::optional<RowDistance> row_distance(const RowPart& early, const RowPart& late) {
  std::optional<RowDistance> result;
  for (const RowAccess& a : early.accesses) {
    for (const RowAccess& b : late.accesses) {
      const std::optional<RowDistance> one = distance(a, early.part.rows, b, late.part.rows);
      if (!one) continue;
      if (!result) result = one;
      result->first = std::min(result->first, one->first);
      result->last = std::max(result->last, one->last);
      result->all |= one->all;
    }
  }
  return result;
}

}  // namespace tessera::plan
