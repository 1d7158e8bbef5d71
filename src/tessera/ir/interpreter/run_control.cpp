#include <cstring>

#include "tessera/ir/interpreter/run.h"
#include "tessera/ir/loop_index.h"

namespace tessera::ir {

namespace {

// out = condition (or its negation) within mask; returns the number of active lanes.
int64_t narrow(uint8_t* out, Place condition, bool wanted, const uint8_t* mask, int64_t n) {
  int64_t count = 0;
  const uint8_t* c = reinterpret_cast<const uint8_t*>(condition.pointer);
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t on = (c[i * condition.stride] != 0) == wanted && (mask == nullptr || mask[i]);
    out[i] = on;
    count += on;
  }
  return count;
}

}  // namespace

// Under a mask, inactive lanes keep their values.
void Run::copy(const std::vector<Copy>& copies, int64_t n, Mask mask) {
  for (const Copy& c : copies) {
    const Place from = cells_[c.from];
    const Place to = cells_[c.to];
    if (c.scalar) {
      std::memcpy(to.pointer, from.pointer, c.size);
    } else if (mask == nullptr) {
      char* pointers[] = {from.pointer, to.pointer};
      const int64_t strides[] = {from.stride, to.stride};
      program_.moves[c.size].copy(pointers, strides, n);
    } else {
      char* pointers[] = {const_cast<char*>(reinterpret_cast<const char*>(mask)), from.pointer, to.pointer, to.pointer};
      const int64_t strides[] = {1, from.stride, to.stride, to.stride};
      program_.moves[c.size].select(pointers, strides, n);
    }
  }
}

void Run::branch(const Step& step, int64_t n, Mask mask) {
  const Control& control = program_.controls[step.side];
  if (!control.divergent) {
    const int side = *cells_[control.condition].pointer ? 0 : 1;
    if (side >= step.count) return;
    execute(control.sequences[side], n, mask);
    return copy(control.results[side], n, mask);
  }
  for (int side = 0; side < step.count; ++side) {
    uint8_t* own = reinterpret_cast<uint8_t*>(cells_[control.masks[side]].pointer);
    const int64_t count = narrow(own, cells_[control.condition], side == 0, mask, n);
    if (count == 0) continue;
    const Mask taken = count == n ? nullptr : own;
    execute(control.sequences[side], n, taken);
    copy(control.results[side], n, taken);
  }
}

void Run::count_loop(const Control& control, int64_t n, Mask mask) {
  copy(control.enter, n, mask);
  const auto goes_on = [](int64_t i, int64_t upper, int64_t step) {
    return step > 0 ? i < upper : step < 0 && i > upper;
  };
  if (!control.divergent) {
    const int64_t upper = uniform_int(control.upper.cell);
    const int64_t step = uniform_int(control.step.cell);
    for (int64_t i = uniform_int(control.lower.cell); goes_on(i, upper, step); i = next_index(i, upper, step)) {
      uniform_int(control.induction) = i;
      execute(control.sequences[0], n, mask);
      copy(control.results[0], n, mask);
      copy(control.next, n, mask);
    }
    return;
  }
  uint8_t* active = reinterpret_cast<uint8_t*>(cells_[control.masks[0]].pointer);
  if (mask == nullptr) {
    std::memset(active, 1, static_cast<size_t>(n));
  } else {
    std::memcpy(active, mask, static_cast<size_t>(n));
  }
  const Place induction = cells_[control.induction];
  const int64_t inductions = control.induction_lanes ? n : 1;
  for (int64_t k = 0; k < inductions; ++k) {
    const int64_t start = number(control.lower, k);
    std::memcpy(induction.pointer + k * induction.stride, &start, 8);
  }
  const auto current = [&](int64_t k) {
    int64_t i;
    std::memcpy(&i, induction.pointer + k * induction.stride, 8);
    return i;
  };
  for (;;) {
    int64_t count = 0;
    for (int64_t k = 0; k < n; ++k) {
      active[k] = active[k] && goes_on(current(k), number(control.upper, k), number(control.step, k));
      count += active[k];
    }
    if (count == 0) return;
    const Mask taken = count == n ? nullptr : active;
    execute(control.sequences[0], n, taken);
    copy(control.results[0], n, taken);
    copy(control.next, n, taken);
    for (int64_t k = 0; k < inductions; ++k) {
      const int64_t next = next_index(current(k), number(control.upper, k), number(control.step, k));
      std::memcpy(induction.pointer + k * induction.stride, &next, 8);
    }
  }
}

void Run::test_loop(const Control& control, int64_t n, Mask mask) {
  copy(control.enter, n, mask);
  if (!control.divergent) {
    for (;;) {
      execute(control.sequences[0], n, mask);
      if (!*cells_[control.condition].pointer) return copy(control.results[0], n, mask);
      copy(control.pass, n, mask);
      execute(control.sequences[1], n, mask);
      copy(control.next, n, mask);
    }
  }
  uint8_t* active = reinterpret_cast<uint8_t*>(cells_[control.masks[0]].pointer);
  uint8_t* leaving = reinterpret_cast<uint8_t*>(cells_[control.masks[1]].pointer);
  if (mask == nullptr) {
    std::memset(active, 1, static_cast<size_t>(n));
  } else {
    std::memcpy(active, mask, static_cast<size_t>(n));
  }
  for (bool all = mask == nullptr;;) {
    execute(control.sequences[0], n, all ? nullptr : active);
    const Place condition = cells_[control.condition];
    if (narrow(leaving, condition, false, active, n) > 0) copy(control.results[0], n, leaving);
    const int64_t left = narrow(active, condition, true, active, n);
    if (left == 0) return;
    all = left == n;
    const Mask taken = all ? nullptr : active;
    copy(control.pass, n, taken);
    execute(control.sequences[1], n, taken);
    copy(control.next, n, taken);
  }
}

}  // namespace tessera::ir
