#include "tessera/bind/small/reduction_events.h"

#include <cmath>
#include <cstring>

#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/small/finite.h"

namespace tessera::bind {

namespace {

/// Which values that are not finite occur.
struct Specials {
  bool nan = false;
  bool infinite = false;
};

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

Specials specials_of(const Array& array) {
  const Array packed = Engine::instance().contiguous(array);
  return find_specials(packed.dtype(), Engine::instance().read(packed), packed.view.itemsize(), packed.size());
}

/// Whether the op `question` is true for any element.
bool any(const char* question, const Array& array) {
  Engine& engine = Engine::instance();
  static const ops::Op& either = *ops::OpTable::standard().find("logical_or");
  const Array answers = engine.map(question, {Operand(array)});
  Array flat = answers;
  flat.view = View::contiguous(Dims{answers.size()}, DType::boolean);  // new, so dense; any order is valid
  const int axes[] = {0};
  return *engine.read(engine.reduce(either, flat, {.axes = axes}, {})) != 0;
}

}  // namespace

uint32_t reduction_events(DType dtype, const char* result, const char* data, int64_t step, int64_t n) {
  const Specials total = find_specials(dtype, result, 0, 1);
  if (!total.nan && !total.infinite) [[likely]]
    return 0;
  return events_of(total, find_specials(dtype, data, step, n));
}

uint32_t total_events(const Array& source, const Array& total) {
  const Specials result = specials_of(total);
  if (!result.nan && !result.infinite) [[likely]]
    return 0;
  return events_of(result, {any("isnan", source), any("isinf", source)});
}

uint32_t contraction_events(const Array& a, const Array& b, const Array& result) {
  const char* data = readable(result);
  if (!data || is_integer(result.dtype()) || !result.view.is_c_contiguous()) return 0;
  if (all_finite(result.dtype(), data + result.view.offset, result.size())) [[likely]]
    return 0;
  const Specials x = specials_of(a), y = specials_of(b);
  return events_of(specials_of(result), {x.nan || y.nan, x.infinite || y.infinite});
}

}  // namespace tessera::bind
