#include "tessera/engine/device/run/part_order.h"

#include <algorithm>

#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/plan/untouched.h"

namespace tessera::engine {

namespace {

/// Kernels may access words of this many bytes at the boundaries of results.
constexpr uintptr_t widest_word = 16;

class Collector {
 public:
  void add(const char* begin, const char* end, bool writes) {
    if (begin >= end) return;
    const auto down = [](const char* at) { return reinterpret_cast<uintptr_t>(at) / widest_word * widest_word; };
    touched.push_back({reinterpret_cast<const char*>(down(begin)),
                       reinterpret_cast<const char*>(down(end - 1) + widest_word), writes});
  }
  void add(const char* slot, const plan::ByteBox& box, bool writes) {
    const char* begin = slot + box.offset;
    const char* end = begin + box.nbytes;
    for (size_t axis = 0; axis < box.counts.size(); ++axis) stretch(begin, end, box.counts[axis], box.strides[axis]);
    add(begin, end, writes);
  }
  void add(const char* first, const plan::Binding& binding, const ir::BufferParam& buffer) {
    const char *begin = first, *end = first + itemsize(buffer.dtype);
    for (size_t axis = 0; axis < binding.strides.size(); ++axis)
      stretch(begin, end, binding.dimensions[axis], binding.strides[axis]);
    add(begin, end, buffer.writable);
  }

  std::vector<Touched> touched;

 private:
  static void stretch(const char*& begin, const char*& end, int64_t count, int64_t stride) {
    if (count == 0) return void(end = begin);
    (stride < 0 ? begin : end) += (count - 1) * stride;
  }
};

}  // namespace

std::vector<Touched> find_touched(const plan::Plan& plan, const DevicePlan& bound, const plan::PlanPart& part,
                                  const plan::Request& request, const PlanMemory& memory) {
  Collector all;
  const auto add_kernel = [&](size_t k) {
    const plan::KernelStep& step = plan.steps[k].kernel;
    for (size_t b = 0; b < step.buffers.size(); ++b)
      all.add(memory.data(step.buffers[b].slot) + offset_of(step.buffers[b], request), step.buffers[b],
              step.kernel->buffers[b]);
  };
  if (const auto* set = std::get_if<plan::MoveSet>(&part)) {
    for (const plan::Move& move : set->moves) {
      all.add(memory.data(move.to), move.box, true);
      if (move.from >= 0) all.add(memory.data(move.from) + move.distance, move.box, false);
    }
    return std::move(all.touched);
  }
  const auto [number, copy] = std::get<plan::StepPart>(part);
  const auto k = static_cast<size_t>(number);
  if (copy >= 0) {
    const plan::CopyStep& of = plan.steps[k].copies[static_cast<size_t>(copy)];
    for (const plan::ByteBox& box : boxes_for(of, request)) {
      all.add(memory.data(of.to), box, true);
      all.add(memory.data(of.from), box, false);
    }
    return std::move(all.touched);
  }
  if (!bound.steps[k].kernel && !bound.steps[k].program) return {};
  add_kernel(k);
  if (const size_t taken = bound.taken(k)) {
    for (size_t next = k + 1; next <= k + taken; ++next) add_kernel(next);
    const char* ticket = bound.steps[k].ticket;
    all.touched.push_back({ticket, ticket + 1, true});
  }
  return std::move(all.touched);
}

std::vector<std::vector<int32_t>> order_parts(std::span<const std::vector<Touched>> parts, int64_t large) {
  const auto collide = [](const Touched& a, const Touched& b) {
    return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
  };
  const auto share = [&](const std::vector<Touched>& a, const std::vector<Touched>& b) {
    return std::any_of(a.begin(), a.end(), [&](const Touched& x) {
      return std::any_of(b.begin(), b.end(), [&](const Touched& y) { return collide(x, y); });
    });
  };
  std::vector<std::vector<int32_t>> after(parts.size());
  std::vector<std::vector<bool>> needed(parts.size(), std::vector<bool>(parts.size()));
  std::vector<size_t> depths(parts.size());
  size_t depth = 0;
  int32_t last_large = -1;
  for (size_t k = 0; k < parts.size(); ++k) {
    int64_t nbytes = 0;
    for (const Touched& touched : parts[k]) nbytes += touched.end - touched.begin;
    const bool is_large = nbytes > large;
    for (auto b = static_cast<int32_t>(k) - 1; b >= 0; --b) {
      if (needed[k][b] || !((is_large && b == last_large) || share(parts[k], parts[b]))) continue;
      after[k].push_back(b);
      needed[k][b] = true;
      for (int32_t before = 0; before < b; ++before) needed[k][before] = needed[k][before] || needed[b][before];
      depths[k] = std::max(depths[k], depths[b]);
    }
    depth = std::max(depth, ++depths[k]);
    if (is_large) last_large = static_cast<int32_t>(k);
  }
  return 3 * depth > 2 * parts.size() ? std::vector<std::vector<int32_t>>{} : after;
}

}  // namespace tessera::engine
