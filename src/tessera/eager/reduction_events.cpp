#include "tessera/eager/reduction_events.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tessera/eager/finite.h"
#include "tessera/ir/interpreter.h"
#include "tessera/library/host/copy.h"

namespace tessera::eager {

namespace {

template <class T>
Specials find_specials(const char* data, int64_t step, int64_t n, int parts) {
  Specials found;
  for (int64_t i = 0; i < n; ++i, data += step) {
    for (int k = 0; k < parts; ++k) {
      T element;
      std::memcpy(&element, data + k * sizeof(T), sizeof element);
      found.nan |= std::isnan(element);
      found.infinite |= std::isinf(element);
    }
  }
  return found;
}

/// Checks float16 and bfloat16 by their bits.
Specials find_specials_of_16_bits(const char* data, int64_t step, int64_t n, uint16_t exponent) {
  Specials found;
  for (int64_t i = 0; i < n; ++i, data += step) {
    uint16_t bits;
    std::memcpy(&bits, data, sizeof bits);
    if ((bits & exponent) == exponent) ((bits & 0x7FFF) == exponent ? found.infinite : found.nan) = true;
  }
  return found;
}

}  // namespace

Specials find_specials(DType dtype, const char* data, int64_t step, int64_t n) {
  switch (dtype) {
    case DType::float64: return find_specials<double>(data, step, n, 1);
    case DType::float32: return find_specials<float>(data, step, n, 1);
    case DType::complex128: return find_specials<double>(data, step, n, 2);
    case DType::complex64: return find_specials<float>(data, step, n, 2);
    case DType::float16: return find_specials_of_16_bits(data, step, n, 0x7C00);
    case DType::bfloat16: return find_specials_of_16_bits(data, step, n, 0x7F80);
    default: return {};
  }
}

uint32_t events_of(Specials result, Specials operands) {
  uint32_t events = 0;
  if (result.infinite && !operands.infinite && !operands.nan) events |= ir::event_overflow;
  if (result.nan && !operands.nan) events |= ir::event_invalid;
  return events;
}

uint32_t contraction_events(const HostView& a, const HostView& b, const HostView& result) {
  const int64_t count = result.view.size();
  if (is_integer(result.dtype()) || all_finite(result.dtype(), result.data, count)) [[likely]]
    return 0;
  const auto specials = [](const HostView& operand) {
    const View dense = View::contiguous(operand.view.shape, operand.dtype());
    std::vector<char> packed(static_cast<size_t>(dense.size() * dense.itemsize()));
    library::copy_view(operand.data, operand.view, packed.data(), dense);
    return find_specials(dense.dtype, packed.data(), dense.itemsize(), dense.size());
  };
  const Specials x = specials(a), y = specials(b);
  return events_of(find_specials(result.dtype(), result.data, result.view.itemsize(), count),
                   {x.nan || y.nan, x.infinite || y.infinite});
}

uint32_t reduction_events(DType dtype, const char* result, const char* data, int64_t step, int64_t n) {
  const Specials total = find_specials(dtype, result, 0, 1);
  if (!total.nan && !total.infinite) [[likely]]
    return 0;
  return events_of(total, find_specials(dtype, data, step, n));
}

}  // namespace tessera::eager
