#include "tessera/engine/device/tiled/place_wave.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/device/tiled/clip_boxes.h"

namespace tessera::engine {

using plan::ByteBox;
using plan::Wave;
using plan::WavePart;
using plan::WaveRows;
using tile::Range;

namespace {

/// Whether all that the wave touches of one memory has the distances there that it has in the plan.
class Distances {
 public:
  Distances(const plan::Plan& plan, const TiledSlots& slots, int place) : plan_(plan), slots_(slots), place_(place) {}

  /// `shift`: by how much a view lies further than when the plan was made.
  void note(int32_t slot, int64_t shift) {
    const runtime::Buffer* memory = slots_.memory(slot, place_);
    if (!memory) return;
    const Known its{plan::memory_of(plan_, slot), slots_.address(slot, place_) + shift};
    const auto [found, is_new] = known_.try_emplace(memory, its);
    are_kept_ = are_kept_ && (is_new || found->second == its);
  }
  void note(const plan::Step& step, const plan::Request& request) {
    for (const plan::CopyStep& copy : step.copies) {
      note(copy.from, 0), note(copy.to, 0);
      are_kept_ = are_kept_ && request.node(copy.node).offset == copy.offset;
    }
    if (!has_work(step.kernel)) return;
    for (const plan::Binding& binding : step.kernel.buffers)
      note(binding.slot, binding.offset_of.node < 0 ? 0 : offset_of(binding, request) - binding.offset);
  }
  bool are_kept() const { return are_kept_; }

 private:
  using Known = std::pair<int32_t, const char*>;  // the plan's memory, and where its byte 0 would be
  const plan::Plan& plan_;
  const TiledSlots& slots_;
  int place_;
  std::unordered_map<const runtime::Buffer*, Known> known_;
  bool are_kept_ = true;
};

int64_t divide_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

/// Rows of a kernel's part with these indices of its outermost axis.
WaveRows rows_of_lanes(const WavePart& part, int64_t extent, const Range& lanes) {
  if (lanes.empty()) return {};
  const Range from_start = part.backwards ? Range{extent - lanes.end, extent - lanes.begin} : lanes;
  return {from_start.begin / part.unit, std::min(part.rows, divide_up(from_start.end, part.unit))};
}

/// Rows of a copy's part with these bytes, and perhaps some more.
WaveRows rows_of_bytes(const WavePart& part, const ByteBox& box, const Range& bytes) {
  if (intersect(range_of(box), bytes).empty()) return {};
  const WaveRows all{0, part.rows};
  if (part.axis < 0 && part.rows == 1) return all;
  int64_t step = part.unit, size = part.unit, first = box.offset;
  if (part.axis >= 0) {
    ByteBox row = box;
    row.counts[part.axis] = 1;
    const Range its = range_of(row);
    step = box.strides[part.axis], size = its.size(), first = its.begin;
  }
  if (step <= 0) return all;
  // Row r has bytes [first + r * step, first + r * step + size).
  const int64_t low = bytes.begin - size - first, high = bytes.end - first;
  return {std::clamp<int64_t>(low < 0 ? 0 : low / step, 0, part.rows),
          std::clamp<int64_t>(high <= 0 ? 0 : divide_up(high, step), 0, part.rows)};
}

}  // namespace

std::optional<PlaceWave> find_place_wave(const plan::Plan& plan, const Wave& wave, const plan::Request& request,
                                         const TiledSlots& slots, std::span<const tile::Action> actions, size_t begin,
                                         int place) {
  PlaceWave found{
      .rows = std::vector<WaveRows>(wave.parts.size()), .limits = std::vector<Range>(wave.parts.size()), .end = begin};
  const auto set = [&](int32_t step, int32_t copy, const Range& range) {
    for (size_t p = 0; p < wave.parts.size(); ++p)
      if (const WavePart& part = wave.parts[p]; part.step == step && part.copy == copy) found.limits[p] = range;
  };
  for (; found.end < actions.size(); ++found.end) {
    if (const auto* message = std::get_if<tile::Message>(&actions[found.end])) {
      if (message->from == place || message->to == place) return {};
    } else if (const auto* part = std::get_if<tile::PartMove>(&actions[found.end])) {
      if (part->step >= wave.end_step) break;
      if (part->place == place) set(part->step, part->move, part->bytes);
    } else {
      const auto& launch = std::get<tile::Launch>(actions[found.end]);
      if (launch.step >= wave.end_step) break;
      if (launch.place == place) set(launch.step, -1, {launch.begin, launch.end});
    }
  }
  Distances distances(plan, slots, place);
  for (int32_t step = wave.first_step; step < wave.end_step; ++step)
    distances.note(plan.steps[static_cast<size_t>(step)], request);
  if (!distances.are_kept()) return {};
  for (size_t p = 0; p < wave.parts.size(); ++p) {
    const WavePart& part = wave.parts[p];
    const plan::Step& step = plan.steps[static_cast<size_t>(part.step)];
    found.rows[p] =
        part.copy >= 0
            ? rows_of_bytes(part, step.copies[static_cast<size_t>(part.copy)].boxes[static_cast<size_t>(part.box)],
                            found.limits[p])
            : rows_of_lanes(part, step.kernel.extents[0], found.limits[p]);
  }
  return found;
}

}  // namespace tessera::engine
