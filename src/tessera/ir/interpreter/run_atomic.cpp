#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "tessera/ir/interpreter/run.h"

namespace tessera::ir {

namespace {

template <class T>
T combine(AtomicKind kind, T old, T value) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    switch (kind) {
      case AtomicKind::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
      case AtomicKind::sub: return static_cast<T>(static_cast<U>(old) - static_cast<U>(value));
      case AtomicKind::bit_and: return old & value;
      case AtomicKind::bit_or: return old | value;
      case AtomicKind::bit_xor: return old ^ value;
      default: break;
    }
  } else {
    if (kind == AtomicKind::add) return old + value;
    if (kind == AtomicKind::sub) return old - value;
  }
  switch (kind) {
    case AtomicKind::min: return value < old ? value : old;
    case AtomicKind::max: return value > old ? value : old;
    case AtomicKind::min_num: return value < old || old != old ? value : old;
    case AtomicKind::max_num: return value > old || old != old ? value : old;
    case AtomicKind::increment: return old >= value ? T(0) : static_cast<T>(old + 1);
    case AtomicKind::decrement: return old == 0 || old > value ? value : static_cast<T>(old - 1);
    default: return value;
  }
}

template <class T>
T update(AtomicKind kind, char* at, const char* expected, const char* given) {
  T value;
  std::memcpy(&value, given, sizeof value);
  std::atomic_ref<T> place(*reinterpret_cast<T*>(at));
  if (kind == AtomicKind::compare_exchange) {
    T old;
    std::memcpy(&old, expected, sizeof old);
    place.compare_exchange_strong(old, value);
    return old;
  }
  T old = place.load(std::memory_order_relaxed);
  while (!place.compare_exchange_weak(old, combine(kind, old, value))) {
  }
  return old;
}

template <class T>
void update_element(AtomicKind kind, char* at, const char* expected, const char* given, char* result) {
  const T old = update<T>(kind, at, expected, given);
  std::memcpy(result, &old, sizeof old);
}

using Update = void (*)(AtomicKind, char*, const char*, const char*, char*);

Update update_for(DType type) {
  switch (type) {
    case DType::int8: return update_element<int8_t>;
    case DType::uint8: return update_element<uint8_t>;
    case DType::int16: return update_element<int16_t>;
    case DType::uint16: return update_element<uint16_t>;
    case DType::int32: return update_element<int32_t>;
    case DType::uint32: return update_element<uint32_t>;
    case DType::int64: return update_element<int64_t>;
    case DType::uint64: return update_element<uint64_t>;
    case DType::float32: return update_element<float>;
    default: return update_element<double>;
  }
}

}  // namespace

// Lanes are processed in order, so the updates of one thread have a fixed order.
void Run::atomic(const Step& step, int64_t n, Mask mask) {
  const Access& access = program_.accesses[step.side];
  const Spot spot = locate(access);
  const Place value = cells_[access.value];
  const Place expected = access.expected == no_cell ? value : cells_[access.expected];
  const Place result = cells_[step.result];
  const Update update = update_for(access.type);
  for (int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && !mask[i]) continue;
    update(access.kind, element(access, spot, i) + access.offset, expected.pointer + i * expected.stride,
           value.pointer + i * value.stride, result.pointer + i * result.stride);
  }
}

}  // namespace tessera::ir
