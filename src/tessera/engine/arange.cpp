#include <complex>
#include <cstring>
#include <type_traits>

#include "tessera/engine/engine.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace {

/// NumPy fills from the first two values: start + i * (next - start), in the result's type.
template <class T>
void fill_range(char* data, T start, T delta, int64_t count) {
  T* out = reinterpret_cast<T*>(data);
  auto fill = [&](auto begin, auto end) {
    if constexpr (std::is_integral_v<T>) {
      T value = static_cast<T>(start + static_cast<T>(begin) * delta);
      for (auto i = begin; i < end; ++i, value = static_cast<T>(value + delta)) out[i] = value;
    } else {
      for (auto i = begin; i < end; ++i) out[i] = static_cast<T>(start + static_cast<T>(i) * delta);
    }
  };
  auto body = [&](int64_t begin, int64_t end) {
    // Baseline vectors convert only short integers.
    if (end <= INT32_MAX) return fill(static_cast<int32_t>(begin), static_cast<int32_t>(end));
    fill(begin, end);
  };
  runtime::parallel_for(count, 1 << 17, body);
}

template <class T>
void fill_typed(char* data, const Scalar& start, const Scalar& next, int64_t count) {
  T first, second;
  std::memcpy(&first, start.bytes, sizeof(T));
  std::memcpy(&second, next.bytes, sizeof(T));
  fill_range<T>(data, first, static_cast<T>(second - first), count);
}

}  // namespace

Array Engine::arange(const Scalar& start, const Scalar& step, int64_t count) {
  const DType dtype = start.dtype;
  const int64_t shape[] = {count};
  switch (dtype) {
    case DType::boolean:
    case DType::float16:
    case DType::bfloat16: {
      const DType wide = dtype == DType::boolean ? DType::int64 : DType::float32;
      return copy(arange(start.cast_to(wide), step.cast_to(wide), count), dtype, Order::c);
    }
    default: break;
  }
  Array array = empty(shape, dtype);
  char* data = write(array);
  auto sum = [&]() -> Scalar {
    if (is_complex(dtype)) return Scalar::of_complex(dtype, start.as_complex() + step.as_complex());
    if (is_floating(dtype)) return Scalar::of_float(dtype, start.as_double() + step.as_double());
    return Scalar::of_int(DType::int64, static_cast<int64_t>(static_cast<uint64_t>(start.as_int()) + static_cast<uint64_t>(step.as_int()))).cast_to(dtype);
  };
  const Scalar next = sum();
  switch (dtype) {
    case DType::int8: fill_typed<int8_t>(data, start, next, count); break;
    case DType::uint8: fill_typed<uint8_t>(data, start, next, count); break;
    case DType::int16: fill_typed<int16_t>(data, start, next, count); break;
    case DType::uint16: fill_typed<uint16_t>(data, start, next, count); break;
    case DType::int32: fill_typed<uint32_t>(data, start, next, count); break;
    case DType::uint32: fill_typed<uint32_t>(data, start, next, count); break;
    case DType::int64: fill_typed<uint64_t>(data, start, next, count); break;
    case DType::uint64: fill_typed<uint64_t>(data, start, next, count); break;
    case DType::float32: fill_typed<float>(data, start, next, count); break;
    case DType::float64: fill_typed<double>(data, start, next, count); break;
    case DType::complex64: fill_typed<std::complex<float>>(data, start, next, count); break;
    case DType::complex128: fill_typed<std::complex<double>>(data, start, next, count); break;
    case DType::boolean:
    case DType::float16:
    case DType::bfloat16: break;
  }
  return array;
}

}  // namespace tessera
