#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

/// Tags of the 16-bit formats, whose bits are passed as uint16_t.
struct Half {};
struct Brain {};

/// Float to integer as x86's conversions do: MIN where out of range, narrower types by truncation.
template <class To, class From>
To to_integer(From x) {
  if constexpr (sizeof(To) < 4 || std::same_as<To, int32_t>) {
    // A float64 a fraction below MIN still truncates to MIN.
    const bool fits = std::same_as<From, float> ? x >= From(-2147483648.0) && x < From(2147483648.0)
                                                : x > From(-2147483649.0) && x < From(2147483648.0);
    const int32_t whole = fits ? static_cast<int32_t>(fits ? x : From(0)) : std::numeric_limits<int32_t>::min();
    return static_cast<To>(whole);
  } else {
    const auto narrow = [](From v) {
      const bool fits = v >= From(-9223372036854775808.0) && v < From(9223372036854775808.0);
      return fits ? static_cast<int64_t>(fits ? v : From(0)) : std::numeric_limits<int64_t>::min();
    };
    if constexpr (std::same_as<To, uint64_t>) {
      const From top = From(9223372036854775808.0);
      const bool upper = x >= top;
      return static_cast<uint64_t>(narrow(upper ? x - top : x)) ^ (upper ? uint64_t{1} << 63 : 0);
    } else {
      return static_cast<To>(narrow(x));
    }
  }
}

template <class To>
struct Convert {
  template <class From>
  static To apply(From x) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      return to_integer<To>(x);
    } else {
      return static_cast<To>(x);
    }
  }
};

struct NonZero {
  template <class T>
  static uint8_t apply(T x) {
    return x != 0;
  }
};

struct FromHalf {
  static float apply(uint16_t h) {
    const uint32_t sign = uint32_t{h & 0x8000u} << 16;
    const uint32_t magnitude = h & 0x7FFFu;
    // Normal: shift into place and rebias. Subnormal: the bits are a multiple of 2^-24.
    const uint32_t normal = (magnitude << 13) + (uint32_t{112} << 23);
    const float small = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
    const uint32_t special = (magnitude << 13) | 0x7F800000u;
    const uint32_t bits = magnitude >= 0x7C00 ? special : magnitude < 0x0400 ? std::bit_cast<uint32_t>(small) : normal;
    return std::bit_cast<float>(bits | sign);
  }
};

struct FloatToHalf {
  static uint16_t apply(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    const uint32_t sign = (bits >> 16) & 0x8000u;
    // Normal results: round the 13 dropped bits to nearest even; a carry moves into the exponent as it should.
    const uint32_t rounded = (magnitude - (uint32_t{112} << 23) + 0x0FFFu + ((magnitude >> 13) & 1)) >> 13;
    const uint32_t clipped = rounded < 0x7C00u ? rounded : 0x7C00u;
    // Subnormal results: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    const float small = std::bit_cast<float>(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;
    const uint32_t subnormal = std::bit_cast<uint32_t>(small) - 0x3F000000u;
    const uint32_t nan = 0x7E00u | ((magnitude >> 13) & 0x3FFu);
    const uint32_t half = magnitude > 0x7F800000u    ? nan
                          : magnitude >= 0x47800000u ? 0x7C00u
                          : magnitude < 0x38800000u  ? subnormal
                                                     : clipped;
    return static_cast<uint16_t>(half | sign);
  }
};

struct DoubleToHalf {
  static uint16_t apply(double x) {
    // Through float rounded to odd: sticky low bits keep the second rounding exact.
    const float near = static_cast<float>(x);
    const uint32_t bits = std::bit_cast<uint32_t>(near);
    const double back = near;
    const bool exact = back == x || x != x || (bits & 1);
    const bool above = std::bit_cast<uint64_t>(back) << 1 > std::bit_cast<uint64_t>(x) << 1;
    return FloatToHalf::apply(std::bit_cast<float>(exact ? bits : above ? bits - 1 : bits + 1));
  }
};

struct FromBrain {
  static float apply(uint16_t h) { return std::bit_cast<float>(uint32_t{h} << 16); }
};

struct FloatToBrain {
  static uint16_t apply(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16;
    return static_cast<uint16_t>(x != x ? (bits >> 16) | 0x40u : rounded);
  }
};

template <class Part>
struct ToComplex {
  template <class From>
  static Interleaved<Part> apply(From x) {
    return {static_cast<Part>(x), 0};
  }
  template <class From>
  static Interleaved<Part> apply(Interleaved<From> z) {
    return {z.re, z.im};
  }
};

template <class Part>
struct HalfToComplex {
  static Interleaved<Part> apply(uint16_t h) { return {FromHalf::apply(h), 0}; }
};

/// Only for complex types whose parts represent all values of From.
template <class From>
Loop to_complex(DType to) {
  if (to == DType::complex128) return &Unary<ToComplex<double>, Interleaved<double>, From>::loop;
  if constexpr (sizeof(From) < 4 || std::same_as<From, float>)
    return &Unary<ToComplex<float>, Interleaved<float>, From>::loop;
  return nullptr;
}

template <class To, class From>
constexpr Loop plain = &Unary<Convert<To>, To, From>::loop;

// Integers of one width share the loop of the signed type: truncation and extension depend on the source alone.
template <class From>
Loop to_type(DType to) {
  if (is_complex(to)) return to_complex<From>(to);
  switch (to) {
    case DType::boolean: return &Unary<NonZero, uint8_t, From>::loop;
    case DType::int8: return plain<int8_t, From>;
    case DType::int16: return plain<int16_t, From>;
    case DType::int32: return plain<int32_t, From>;
    case DType::int64: return plain<int64_t, From>;
    case DType::float32: return plain<float, From>;
    case DType::float64: return plain<double, From>;
    default: break;
  }
  if constexpr (std::is_floating_point_v<From>) {
    switch (to) {
      case DType::uint8: return plain<uint8_t, From>;
      case DType::uint16: return plain<uint16_t, From>;
      case DType::uint32: return plain<uint32_t, From>;
      case DType::uint64: return plain<uint64_t, From>;
      default: return nullptr;
    }
  } else {
    switch (to) {
      case DType::uint8: return plain<int8_t, From>;
      case DType::uint16: return plain<int16_t, From>;
      case DType::uint32: return plain<int32_t, From>;
      case DType::uint64: return plain<int64_t, From>;
      default: return nullptr;
    }
  }
}

}  // namespace

Loop find_cast(DType from, DType to) {
  if (from == to) return find_move(Opcode::load, from, to);
  switch (from) {
    case DType::boolean:
    case DType::uint8: return to_type<uint8_t>(to);
    case DType::int8: return to_type<int8_t>(to);
    case DType::int16: return to_type<int16_t>(to);
    case DType::uint16: return to_type<uint16_t>(to);
    case DType::int32: return to_type<int32_t>(to);
    case DType::uint32: return to_type<uint32_t>(to);
    case DType::int64: return to_type<int64_t>(to);
    case DType::uint64: return to_type<uint64_t>(to);
    case DType::float32:
      if (to == DType::float16) return &Unary<FloatToHalf, uint16_t, float>::loop;
      if (to == DType::bfloat16) return &Unary<FloatToBrain, uint16_t, float>::loop;
      return to_type<float>(to);
    case DType::float64:
      if (to == DType::float16) return &Unary<DoubleToHalf, uint16_t, double>::loop;
      return to_type<double>(to);
    case DType::float16:
      if (to == DType::complex64) return &Unary<HalfToComplex<float>, Interleaved<float>, uint16_t>::loop;
      if (to == DType::complex128) return &Unary<HalfToComplex<double>, Interleaved<double>, uint16_t>::loop;
      return to == DType::float32 ? &Unary<FromHalf, float, uint16_t>::loop : nullptr;
    case DType::complex64: return to == DType::complex128 ? to_complex<Interleaved<float>>(to) : nullptr;
    case DType::bfloat16: return to == DType::float32 ? &Unary<FromBrain, float, uint16_t>::loop : nullptr;
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
