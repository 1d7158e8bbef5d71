#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

/// Conversions between 64-bit integers and doubles are vector instructions from AVX-512 on.
#if defined(__AVX512DQ__)
constexpr bool converts_wide = true;
#else
constexpr bool converts_wide = false;
#endif
template <class T>
constexpr bool by_floats = sizeof(T) < 8 || converts_wide;

struct Div {
  template <class T>
  static T apply(T a, T b) {
    return math::integer_div<by_floats<T>>(a, b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    return math::integer_rem<by_floats<T>>(a, b);
  }
};
struct FloorDiv {
  template <class T>
  static T apply(T a, T b) {
    return math::integer_floor_div<by_floats<T>>(a, b);
  }
};
struct FloorMod {
  template <class T>
  static T apply(T a, T b) {
    return math::integer_floor_mod<by_floats<T>>(a, b);
  }
};

struct Gcd {
  template <class T>
  static T apply(T a, T b) {
    auto x = math::integer_magnitude(a);
    auto y = math::integer_magnitude(b);
    while (y != 0) {
      const auto r = static_cast<decltype(x)>(x % y);
      x = y;
      y = r;
    }
    return static_cast<T>(x);
  }
};

struct Lcm {
  template <class T>
  static T apply(T a, T b) {
    const auto g = math::integer_magnitude(Gcd::apply(a, b));
    return g == 0 ? T(0)
                  : static_cast<T>(static_cast<uint64_t>(math::integer_magnitude(a) / g) * math::integer_magnitude(b));
  }
};

template <class F>
struct Shapes {
  template <class T>
  using Two = Binary<F, T, T, T>;
};
template <class F>
Loop two(DType t) {
  return for_integer<Shapes<F>::template Two>(t);
}

}  // namespace

Loop find_integer_division(Opcode op, DType t) {
  switch (op) {
    case Opcode::div: return two<Div>(t);
    case Opcode::rem: return two<Rem>(t);
    case Opcode::floor_div: return two<FloorDiv>(t);
    case Opcode::floor_mod: return two<FloorMod>(t);
    case Opcode::gcd: return two<Gcd>(t);
    case Opcode::lcm: return two<Lcm>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
