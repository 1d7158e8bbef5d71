#include "tessera/engine/device/run/box_copies.h"

#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/engine/support/limits.h"
#include "tessera/routines/boxes/kernels.h"

namespace tessera::engine {

using plan::ByteBox;

namespace {

/// Total number of bytes.
int64_t bytes_of(const ByteBox& box) {
  int64_t nbytes = box.nbytes;
  for (const int64_t count : box.counts) nbytes *= count;
  return nbytes;
}

/// A box of `item`-byte items whose first one has index `place` in the memory.
routines::BoxScalars scalars_of(const ByteBox& box, int64_t place, int64_t item) {
  routines::BoxScalars scalars{.end = bytes_of(box) / item, .first = place, .width = box.nbytes / item};
  if (!box.counts.empty()) {
    scalars.count = box.counts.back();
    scalars.pitch = box.strides.back() / item;
  }
  if (box.counts.size() > 1) scalars.outer_pitch = box.strides[0] / item;
  return scalars;
}

/// Adds boxes to the routine, each starting where the one before it ends.
void add_boxes(routines::KernelLaunch& routine, std::vector<routines::BoxScalars> boxes) {
  static_assert(sizeof(routines::BoxScalars) == 9 * sizeof(int64_t));
  int64_t end = 0;
  for (routines::BoxScalars& box : boxes) box.end = end += box.end;
  boxes.resize(routines::boxes_at_once, routines::BoxScalars{.end = end, .first = 0});
  const auto* words = reinterpret_cast<const int64_t*>(boxes.data());
  routine.scalars.assign(words, words + 9 * boxes.size());
  routine.extents = Dims{end};
}

}  // namespace

routines::KernelLaunch moves_routine(int64_t item) {
  const DType dtype = item == 8 ? DType::int64 : item == 4 ? DType::int32 : item == 2 ? DType::int16 : DType::int8;
  return {.name = format("move_boxes {}", item), .make = [dtype] { return routines::move_boxes_kernel(dtype); }};
}

bool BoxCopies::move(const plan::MoveSet& set, const plan::Request& request,
                     const std::function<char*(int32_t slot)>& memory, codegen::Compiler* compiler) {
  routines::KernelLaunch routine = moves_routine(set.item);
  const char* base = memory(set.moves[0].to);
  routine.buffers = {base};
  std::vector<routines::BoxScalars> boxes;
  for (const plan::Move& move : set.moves) {
    const char* to = memory(move.to);
    routines::BoxScalars box = scalars_of(move.box, (to - base + move.box.offset) / set.item, set.item);
    if (move.from < 0) {
      box.fills = 1;
      std::memcpy(&box.value, request.node(move.value.node).inputs[move.value.input].scalar, sizeof box.value);
    } else {
      box.distance = (memory(move.from) - to + move.distance) / set.item;
    }
    boxes.push_back(box);
  }
  add_boxes(routine, std::move(boxes));
  try {
    return routines_.run({&routine, 1}, compiler);
  } catch (const OutOfMemory&) {
    return false;  // no memory for its code
  }
}

bool BoxCopies::copy_few(const char* from, char* to, std::span<const ByteBox> boxes, codegen::Compiler* compiler) {
  int64_t all = reinterpret_cast<int64_t>(from) | reinterpret_cast<int64_t>(to), item = 8;
  for (const ByteBox& box : boxes) {
    all |= box.offset | box.nbytes;
    for (const int64_t stride : box.strides) all |= stride;
  }
  while (all % item) item /= 2;
  routines::KernelLaunch routine = moves_routine(item);
  routine.buffers = {to};
  std::vector<routines::BoxScalars> scalars;
  for (const ByteBox& box : boxes) {
    scalars.push_back(scalars_of(box, box.offset / item, item));
    scalars.back().distance = (from - to) / item;
  }
  add_boxes(routine, std::move(scalars));
  try {
    return routines_.run({&routine, 1}, compiler);
  } catch (const OutOfMemory&) {
    return false;  // no memory for its code
  }
}

bool BoxCopies::pull(std::span<const Pull> pulls, codegen::Compiler* compiler) {
  int64_t all = 0, nbytes = 0;
  for (const Pull& pull : pulls) {
    all |= reinterpret_cast<int64_t>(pull.from) | reinterpret_cast<int64_t>(pull.to) | pull.nbytes;
    nbytes += pull.nbytes;
  }
  if (nbytes > CopyLimits::pulled_bytes) return false;
  int64_t item = 8;
  while (all % item) item /= 2;
  for (size_t first = 0; first < pulls.size(); first += routines::boxes_at_once) {
    routines::KernelLaunch routine = moves_routine(item);
    char* const base = pulls[first].to;
    routine.buffers = {base};
    std::vector<routines::BoxScalars> boxes;
    for (const Pull& pull : pulls.subspan(first, std::min<size_t>(routines::boxes_at_once, pulls.size() - first)))
      boxes.push_back({.end = pull.nbytes / item,
                       .first = (pull.to - base) / item,
                       .distance = (pull.from - pull.to) / item,
                       .width = pull.nbytes / item});
    add_boxes(routine, std::move(boxes));
    try {
      // What is copied already would be the same again.
      if (!routines_.run({&routine, 1}, compiler)) return false;
    } catch (const OutOfMemory&) {
      return false;  // no memory for its code
    }
  }
  return true;
}

/// A copy by the driver takes longer than a launch, and a copy of many short rows several times as long.
void BoxCopies::copy(const char* from, char* to, const std::vector<ByteBox>& boxes, codegen::Compiler* compiler) {
  int64_t nbytes = 0;
  bool is_plain = boxes.size() <= routines::boxes_at_once;
  for (const ByteBox& box : boxes) {
    nbytes += bytes_of(box);
    is_plain &= box.counts.size() <= 2;
  }
  if (is_plain && nbytes <= CopyLimits::few_bytes && copy_few(from, to, boxes, compiler)) return;
  for (const ByteBox& box : boxes) {
    const size_t axes = box.counts.size();
    // The innermost repeated axis is one strided copy; the outer ones are iterated.
    int64_t outer = 1;
    for (size_t axis = 0; axis + 1 < axes; ++axis) outer *= box.counts[axis];
    for (int64_t k = 0; k < outer; ++k) {
      int64_t offset = box.offset, rest = k;
      for (size_t axis = axes - (axes > 0); axis-- > 0;) {
        offset += rest % box.counts[axis] * box.strides[axis];
        rest /= box.counts[axis];
      }
      if (axes == 0) {
        device_.stream().copy(to + offset, from + offset, static_cast<size_t>(box.nbytes));
        continue;
      }
      const ByteBox rows{
          .offset = offset, .counts = {box.counts.back()}, .strides = {box.strides.back()}, .nbytes = box.nbytes};
      if (box.nbytes <= CopyLimits::short_row && copy_few(from, to, {&rows, 1}, compiler)) continue;
      device_.stream().copy_rows(to + offset, from + offset, {box.nbytes, box.counts.back(), box.strides.back()});
    }
  }
}

}  // namespace tessera::engine
