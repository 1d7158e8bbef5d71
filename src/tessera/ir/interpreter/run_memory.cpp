#include <cstring>

#include "tessera/ir/interpreter/run.h"

namespace tessera::ir {

namespace {

void move(char* to, const char* from, int size) {
  switch (size) {
    case 1: *to = *from; break;
    case 2: std::memcpy(to, from, 2); break;
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    default: std::memcpy(to, from, 16);
  }
}

bool is_multiple(const char* address, uintptr_t bytes) { return reinterpret_cast<uintptr_t>(address) % bytes == 0; }

}  // namespace

// The stride in bytes along index k.
int64_t Run::index_stride(const Access& access, uint32_t k) const {
  if (!access.of_array) return arguments_.strides[access.strides + k];
  const ArrayPlace& array = program_.arrays[access.memory];
  return array.itemsize * (array.shared ? 1 : lane_count_);
}

Run::Spot Run::locate(const Access& access) const {
  Spot spot{access.of_array ? arrays_[access.memory] : arguments_.buffers[access.memory], 0};
  const IndexRef* indices = program_.indices.data() + access.first_index;
  for (uint32_t k = 0; k < access.index_count; ++k) {
    if (indices[k].lanes) continue;
    const int64_t stride = index_stride(access, k);
    spot.pointer += uniform_int(indices[k].cell) * stride;
    spot.stride += indices[k].step * stride;
  }
  if (access.of_array && !access.shared) {
    // Local arrays store the lanes of one element contiguously.
    const int64_t size = program_.arrays[access.memory].itemsize;
    if (array_lane_ < 0) {
      spot.stride += size;
    } else {
      spot.pointer += array_lane_ * size;
    }
  }
  return spot;
}

char* Run::element(const Access& access, Spot spot, int64_t lane) const {
  char* p = spot.pointer + lane * spot.stride;
  const IndexRef* indices = program_.indices.data() + access.first_index;
  for (uint32_t k = 0; k < access.index_count; ++k) {
    if (!indices[k].lanes) continue;
    const Place index = cells_[indices[k].cell];
    int64_t number;
    std::memcpy(&number, index.pointer + lane * index.stride, 8);
    p += number * index_stride(access, k);
  }
  return p;
}

void Run::load(const Step& step, int64_t n, Mask mask) {
  const Access& access = program_.accesses[step.side];
  const Spot spot = locate(access);
  if (step.scalar) return move(cells_[step.result].pointer, spot.pointer, step.size);
  if (mask != nullptr) {
    // Inactive lanes may have indices out of range.
    char* copies = cells_[access.value].pointer;
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i]) move(copies + i * step.size, spot.pointer + i * spot.stride, step.size);
    }
    cells_[step.result] = cells_[access.value];
    return;
  }
  if (access.stage || (access.stage_if_aliased && aliased_)) {
    char* pointers[] = {spot.pointer, cells_[access.value].pointer};
    const int64_t strides[] = {spot.stride, step.size};
    access.copy(pointers, strides, n);
    cells_[step.result] = cells_[access.value];
    return;
  }
  cells_[step.result] = {spot.pointer, spot.stride};
}

void Run::gather(const Step& step, int64_t n, Mask mask) {
  const Access& access = program_.accesses[step.side];
  const Spot spot = locate(access);
  char* copies = cells_[step.result].pointer;
  if (step.kind == StepKind::is_aligned) {
    for (int64_t i = 0; i < n; ++i) copies[i] = is_multiple(element(access, spot, i), step.size);
    return;
  }
  if (access.index_count == 1 && mask == nullptr && step.size == 8) {
    const Place index = cells_[program_.indices[access.first_index].cell];
    const int64_t stride = index_stride(access, 0);
    const char* base = spot.pointer;
    for (int64_t i = 0; i < n; ++i) {
      int64_t number;
      std::memcpy(&number, index.pointer + i * index.stride, 8);
      std::memcpy(copies + i * 8, base + i * spot.stride + number * stride, 8);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    if (mask == nullptr || mask[i]) move(copies + i * step.size, element(access, spot, i), step.size);
  }
}

void Run::store(const Step& step, int64_t n, Mask mask) {
  const Access& access = program_.accesses[step.side];
  const Spot spot = locate(access);
  const Place value = cells_[access.value];
  if (value.pointer == spot.pointer && value.stride == spot.stride) return;
  if (mask != nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i]) move(spot.pointer + i * spot.stride, value.pointer + i * value.stride, step.size);
    }
    return;
  }
  char* pointers[] = {value.pointer, spot.pointer};
  const int64_t strides[] = {value.stride, spot.stride};
  access.copy(pointers, strides, n);
}

void Run::scatter(const Step& step, int64_t n, Mask mask) {
  const Access& access = program_.accesses[step.side];
  const Spot spot = locate(access);
  const Place value = cells_[access.value];
  for (int64_t i = 0; i < n; ++i) {
    if (mask == nullptr || mask[i]) move(element(access, spot, i), value.pointer + i * value.stride, step.size);
  }
}

void Run::aim_store(const Step& step) {
  const Access& access = program_.accesses[step.side];
  if (access.stage_if_aliased && aliased_) return;
  const Spot spot = locate(access);
  cells_[step.result] = {spot.pointer, spot.stride};
}

void Run::check(const CheckInfo& info, int64_t n, Mask mask) {
  const Place r = cells_[info.result];
  const Place a = cells_[info.a];
  const Place b = info.b == no_cell ? Place{nullptr, 0} : cells_[info.b];
  uint32_t events = 0;
  const auto find = [&](int64_t from, int64_t count) {
    events |= find_events(info.rule, info.operand_type, info.result_type, r.pointer + from * r.stride, r.stride,
                          a.pointer + from * a.stride, a.stride, b.pointer ? b.pointer + from * b.stride : nullptr,
                          b.stride, count);
  };
  if (info.scalar) {
    find(0, 1);
  } else if (mask == nullptr) {
    find(0, n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i]) find(i, 1);
    }
  }
  if (events) __atomic_fetch_or(arguments_.flags + info.slot, events, __ATOMIC_RELAXED);
}

}  // namespace tessera::ir
