// Arrays of evenly spaced numbers: small ones are filled at once, others are recorded as a node that can be fused with
// the operations on it.
#include <complex>
#include <cstring>
#include <type_traits>

#include "tessera/eager/array_memory_error.h"
#include "tessera/engine/reading.h"
#include "tessera/engine/record.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/common_ops.h"
#include "tessera/engine/support/limits.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera {

using engine::CommonOps;

namespace {

template <class T>
void fill(char* data, const Scalar& start, const Scalar& step, int64_t count) {
  T first, delta;
  std::memcpy(&first, start.bytes, sizeof(T));
  std::memcpy(&delta, step.bytes, sizeof(T));
  T* out = reinterpret_cast<T*>(data);
  // Baseline vector instructions convert only 32-bit integers.
  for (int32_t i = 0; i < static_cast<int32_t>(count); ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      out[i] = static_cast<T>(first + static_cast<T>(static_cast<T>(i) * delta));
    } else {
      using Part = typename T::value_type;
      out[i] = {first.real() + static_cast<Part>(i) * delta.real(), first.imag() + static_cast<Part>(i) * delta.imag()};
    }
  }
}

void fill(char* data, const Scalar& start, const Scalar& step, int64_t count) {
  switch (start.dtype) {
    case DType::int8: return fill<int8_t>(data, start, step, count);
    case DType::uint8: return fill<uint8_t>(data, start, step, count);
    case DType::int16: return fill<int16_t>(data, start, step, count);
    case DType::uint16: return fill<uint16_t>(data, start, step, count);
    case DType::int32:
    case DType::uint32: return fill<uint32_t>(data, start, step, count);
    case DType::int64:
    case DType::uint64: return fill<uint64_t>(data, start, step, count);
    case DType::float32: return fill<float>(data, start, step, count);
    case DType::float64: return fill<double>(data, start, step, count);
    case DType::complex64: return fill<std::complex<float>>(data, start, step, count);
    case DType::complex128: return fill<std::complex<double>>(data, start, step, count);
    case DType::boolean:
    case DType::float16:
    case DType::bfloat16: break;
  }
  std::unreachable();
}

Scalar sum(const Scalar& a, const Scalar& b, double sign) {
  if (is_complex(a.dtype)) return Scalar::of_complex(a.dtype, a.as_complex() + sign * b.as_complex());
  if (is_floating(a.dtype)) return Scalar::of_float(a.dtype, a.as_double() + sign * b.as_double());
  const auto x = static_cast<uint64_t>(a.as_int()), y = static_cast<uint64_t>(b.as_int());
  return Scalar::of_int(DType::int64, static_cast<int64_t>(sign < 0 ? x - y : x + y)).cast_to(a.dtype);
}

/// Bytes of the elements; throws at once when they exceed what can ever be allocated, by one process where they are not
/// cut.
int64_t bytes_of(int64_t count, DType dtype, const engine::State& state) {
  const int64_t shape[] = {count}, nbytes = checked_size(shape, itemsize(dtype)) * itemsize(dtype);
  if (!state.goes_over_ranks(count) && nbytes > runtime::HostPool::instance().limit())
    throw ArrayMemoryError(shape, dtype);
  return nbytes;
}

}  // namespace

Array Recording::arange(const Scalar& first, const Scalar& second, int64_t count) {
  const DType dtype = first.dtype;
  bytes_of(count, dtype, *state_);  // throws before the message could name a wider dtype
  if (is_boolean(dtype) || dtype == DType::float16 || dtype == DType::bfloat16) {
    const DType wide = is_boolean(dtype) ? DType::int64 : DType::float32;
    return copy(arange(first.cast_to(wide), second.cast_to(wide), count), dtype, Order::c);
  }
  const Scalar step = sum(second, first, -1);
  Array result = evenly_spaced(first, step, count);
  const bool is_exact = std::memcmp(sum(first, step, 1).bytes, second.bytes, itemsize(dtype)) == 0;
  if (count > 1 && !is_exact) assign(result.with_view(result.view.slice(0, 1, 2, 1)), second, {});
  return result;
}

Array Recording::evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, const Scalar* last) {
  const DType dtype = start.dtype;
  const int64_t shape[] = {count}, nbytes = bytes_of(count, dtype, *state_);
  if (nbytes <= engine::EagerLimits::range_bytes ||
      (nbytes <= engine::EagerLimits::range_bytes_on_host && !state_->windows.own().target())) {
    Array array = empty(shape, dtype);
    char* data = Reading(*state_).write(array);
    fill(data, start, step, count);
    if (last && count > 0) std::memcpy(data + (count - 1) * itemsize(dtype), last->bytes, itemsize(dtype));
    return array;
  }
  const View layout = View::contiguous(shape, dtype);
  const CommonOps& common = CommonOps::get();
  if (!last) {
    const Operand operands[] = {start, step};
    return engine::record_map(*state_, *common.evenly_spaced, common.spaced_signature(dtype), 0, operands, layout, {});
  }
  const Operand operands[] = {start, step, *last, Scalar::of_int(DType::int64, count - 1)};
  return engine::record_map(*state_, *common.evenly_spaced_to, common.spaced_to_signature(dtype), 0, operands, layout,
                            {});
}

}  // namespace tessera
