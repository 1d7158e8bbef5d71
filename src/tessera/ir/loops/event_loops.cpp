#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

template <class T>
struct Strided {
  const char* pointer;
  int64_t stride;
  bool given() const { return pointer != nullptr; }
  T operator[](int64_t i) const { return get<T>(pointer + i * stride); }
};

/// A fast first pass: whether any element is infinite or NaN. x * 0 is NaN exactly for those.
template <class T>
bool any_special(Strided<T> x, int64_t n) {
  if (x.stride == 0) n = n ? 1 : 0;
  T sum = 0;
  if (x.stride == sizeof(T)) {
    constexpr int64_t width = 64 / sizeof(T);
    using Row [[gnu::vector_size(64)]] = T;
    Row sums[4] = {};
    int64_t i = 0;
    const auto add_row = [&](Row& to, int64_t at) {
      Row row;
      std::memcpy(&row, x.pointer + at * sizeof(T), sizeof row);
      to += row * T(0);
    };
    for (; i + 4 * width <= n; i += 4 * width) {
      for (int k = 0; k < 4; ++k) add_row(sums[k], i + k * width);
    }
    for (; i + width <= n; i += width) add_row(sums[0], i);
    const Row all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (int k = 0; k < width; ++k) sum += all[k];
    for (; i < n; ++i) sum += x[i] * T(0);
  } else {
    for (int64_t i = 0; i < n; ++i) sum += x[i] * T(0);
  }
  return sum != sum;
}

/// float16 elements, read as float32.
struct StridedHalf {
  const char* pointer;
  int64_t stride;
  bool given() const { return pointer != nullptr; }
  float operator[](int64_t i) const { return half_to_float(get<uint16_t>(pointer + i * stride)); }
};

bool any_special(StridedHalf x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if ((get<uint16_t>(x.pointer + i * x.stride) & 0x7C00) == 0x7C00) return true;
  }
  return false;
}

template <class T>
uint32_t event_of(ErrorRule rule, T r, T a, T b) {
  const bool from_nan = math::is_nan(a) || math::is_nan(b);
  if (math::is_nan(r)) return from_nan ? 0 : event_invalid;
  if (!math::is_inf(r)) return 0;
  const bool finite = math::is_finite(a) && math::is_finite(b);
  switch (rule) {
    case ErrorRule::divide: return b == 0 ? (finite ? event_divide : 0) : finite ? event_overflow : 0;
    case ErrorRule::pole: return math::is_finite(a) ? event_divide : 0;
    case ErrorRule::power: return a == 0 ? (b < 0 && finite ? event_divide : 0) : finite ? event_overflow : 0;
    default: return finite ? event_overflow : 0;
  }
}

template <class Elements>
uint32_t float_events(ErrorRule rule, Elements r, Elements a, Elements b, int64_t n) {
  using T = decltype(r[0]);
  if (!any_special(r, n)) return 0;
  uint32_t events = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T value = r[i];
    if (math::is_finite(value)) continue;
    events |= event_of<T>(rule, value, a.given() ? a[i] : T(1), b.given() ? b[i] : T(1));
  }
  return events;
}

/// The floating-point events of complex arithmetic, as far as operands and result determine them.
template <class T>
uint32_t complex_events(ErrorRule rule, Strided<T> r, Strided<T> a, Strided<T> b, int64_t n) {
  auto part = [](Strided<T> x, int64_t i, int64_t k) { return get<T>(x.pointer + i * x.stride + k * sizeof(T)); };
  auto finite = [&](Strided<T> x, int64_t i) {
    return !x.given() || (math::is_finite(part(x, i, 0)) && math::is_finite(part(x, i, 1)));
  };
  auto has_nan = [&](Strided<T> x, int64_t i) {
    return x.given() && (math::is_nan(part(x, i, 0)) || math::is_nan(part(x, i, 1)));
  };
  auto is_zero = [&](Strided<T> x, int64_t i) { return x.given() && part(x, i, 0) == 0 && part(x, i, 1) == 0; };
  uint32_t events = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (finite(r, i) || has_nan(a, i) || has_nan(b, i)) continue;
    const bool at_pole = (rule == ErrorRule::divide && is_zero(b, i)) || (rule == ErrorRule::pole && is_zero(a, i));
    if (has_nan(r, i)) events |= event_invalid;
    if (finite(a, i) && finite(b, i) && !is_zero(a, i) && !at_pole && !has_nan(r, i)) events |= event_overflow;
    if (at_pole && (rule == ErrorRule::pole || !is_zero(a, i)) && finite(a, i)) events |= event_divide;
  }
  return events;
}

/// Events of the absolute value of complex numbers: overflow when finite parts give infinity.
template <class T>
uint32_t magnitude_events(Strided<T> r, Strided<T> a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const char* parts = a.pointer + i * a.stride;
    if (math::is_inf(r[i]) && math::is_finite(get<T>(parts)) && math::is_finite(get<T>(parts + sizeof(T))))
      return event_overflow;
  }
  return 0;
}

template <class T>
uint32_t integer_events(Strided<T> a, Strided<T> b, int64_t n) {
  if (b.stride == 0 && b[0] != 0 && b[0] != static_cast<T>(-1)) return 0;
  bool zero = false;
  bool overflow = false;
  for (int64_t i = 0; i < n; ++i) {
    zero |= b[i] == 0;
    if constexpr (std::is_signed_v<T>) overflow |= b[i] == T(-1) && a[i] == std::numeric_limits<T>::min();
  }
  return (zero ? event_divide : 0) | (overflow ? event_overflow : 0);
}

// Comparisons with NaN are false.
template <class Elements, class From>
uint32_t to_integer_events(Elements a, From low, From high, int64_t n) {
  bool outside = false;
  for (int64_t i = 0; i < n; ++i) {
    const From whole = math::trunc(a[i]);
    outside |= !(whole >= low && whole < high);
  }
  return outside ? event_invalid : 0;
}

template <class Elements>
uint32_t cast_events(DType to, const char* result, int64_t result_stride, Elements a, int64_t n) {
  using From = decltype(a[0]);
  if (is_integer(to)) {
    const CastRange range = cast_range(to);
    return to_integer_events(a, static_cast<From>(range.first), static_cast<From>(range.limit), n);
  }
  uint32_t events = 0;
  for (int64_t i = 0; i < n; ++i) {
    const char* r = result + i * result_stride;
    bool infinite = false;
    switch (to) {
      case DType::float16: infinite = (get<uint16_t>(r) & 0x7FFF) == 0x7C00; break;
      case DType::bfloat16: infinite = (get<uint16_t>(r) & 0x7FFF) == 0x7F80; break;
      case DType::float32: infinite = math::is_inf(get<float>(r)); break;
      default: break;
    }
    if (infinite && math::is_finite(a[i])) events |= event_overflow;
  }
  return events;
}

/// Integers as the rules for casts see them: always finite.
struct Finite {
  float operator[](int64_t) const { return 0; }
};

template <class T>
uint32_t integer_events_of(const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  return integer_events<T>({a, a_stride}, {b, b_stride}, n);
}

}  // namespace

uint32_t events(ErrorRule rule, DType operand, DType result_type, const char* result, int64_t result_stride,
                const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  if (rule == ErrorRule::none || n == 0) return 0;
  if (rule == ErrorRule::cast) {
    if (is_complex(result_type) && !is_complex(operand)) result_type = real_dtype(result_type);
    if (is_integer(operand))
      return is_integer(result_type) ? 0 : cast_events<Finite>(result_type, result, result_stride, {}, n);
    if (operand == DType::float32)
      return cast_events<Strided<float>>(result_type, result, result_stride, {a, a_stride}, n);
    if (operand == DType::float64)
      return cast_events<Strided<double>>(result_type, result, result_stride, {a, a_stride}, n);
    if (operand == DType::float16)
      return cast_events<StridedHalf>(result_type, result, result_stride, {a, a_stride}, n);
    // The real part decides; for a complex result the imaginary part does as well.
    if (operand == DType::complex64)
      return cast_events<Strided<float>>(result_type, result, result_stride, {a, a_stride}, n);
    if (operand == DType::complex128 && result_type == DType::complex64) {
      return cast_events<Strided<double>>(DType::float32, result, result_stride, {a, a_stride}, n) |
             cast_events<Strided<double>>(DType::float32, result + 4, result_stride, {a + 8, a_stride}, n);
    }
    if (operand == DType::complex128)
      return cast_events<Strided<double>>(result_type, result, result_stride, {a, a_stride}, n);
    return 0;
  }
  if (rule == ErrorRule::integer_divide) {
    switch (operand) {
      case DType::int8: return integer_events_of<int8_t>(a, a_stride, b, b_stride, n);
      case DType::uint8: return integer_events_of<uint8_t>(a, a_stride, b, b_stride, n);
      case DType::int16: return integer_events_of<int16_t>(a, a_stride, b, b_stride, n);
      case DType::uint16: return integer_events_of<uint16_t>(a, a_stride, b, b_stride, n);
      case DType::int32: return integer_events_of<int32_t>(a, a_stride, b, b_stride, n);
      case DType::uint32: return integer_events_of<uint32_t>(a, a_stride, b, b_stride, n);
      case DType::int64: return integer_events_of<int64_t>(a, a_stride, b, b_stride, n);
      case DType::uint64: return integer_events_of<uint64_t>(a, a_stride, b, b_stride, n);
      default: return 0;
    }
  }
  if (is_complex(operand) && result_type == real_dtype(operand)) {
    if (result_type == DType::float32) return magnitude_events<float>({result, result_stride}, {a, a_stride}, n);
    return magnitude_events<double>({result, result_stride}, {a, a_stride}, n);
  }
  // An operand of another type (ldexp's exponent, an integer cast to a float) is neither NaN nor infinite.
  if (operand != result_type) a = b = nullptr;
  if (result_type == DType::float32) {
    return float_events<Strided<float>>(rule, {result, result_stride}, {a, a_stride}, {b, b_stride}, n);
  }
  if (result_type == DType::float64) {
    return float_events<Strided<double>>(rule, {result, result_stride}, {a, a_stride}, {b, b_stride}, n);
  }
  if (result_type == DType::float16) {
    return float_events<StridedHalf>(rule, {result, result_stride}, {a, a_stride}, {b, b_stride}, n);
  }
  if (result_type == DType::complex64) {
    return complex_events<float>(rule, {result, result_stride}, {a, a_stride}, {b, b_stride}, n);
  }
  if (result_type == DType::complex128) {
    return complex_events<double>(rule, {result, result_stride}, {a, a_stride}, {b, b_stride}, n);
  }
  return 0;
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
