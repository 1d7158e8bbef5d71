#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

/// A float that holds every quotient of T closely enough for its whole part to be exact; void: the integer unit
/// divides.
template <class T>
using Quotient = std::conditional_t<(sizeof(T) <= 2), float, std::conditional_t<(sizeof(T) == 4), double, void>>;

template <class T>
T negate(T a) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
}

/// Truncating quotient by a divisor that is neither 0 nor -1.
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_void_v<Quotient<T>>) {
    return a / b;
  } else {
    using Wide =
        std::conditional_t<(sizeof(T) <= 2), int32_t, std::conditional_t<std::is_signed_v<T>, int32_t, int64_t>>;
    return static_cast<T>(static_cast<Wide>(Quotient<T>(a) / Quotient<T>(b)));
  }
}

/// What division leaves, without the overflow a narrow signed product would be.
template <class T>
T remainder(T a, T q, T divisor) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(q) * static_cast<uint64_t>(divisor));
}

struct Div {
  template <class T>
  static T apply(T a, T b) {
    const bool zero = b == 0;
    const bool minus_one = std::is_signed_v<T> & (b == static_cast<T>(-1));
    const T q = quotient<T>(a, (zero | minus_one) ? T(1) : b);
    const T wrapped = minus_one ? negate(a) : q;
    return zero ? T(0) : wrapped;
  }
};

struct Rem {
  template <class T>
  static T apply(T a, T b) {
    const bool trivial = (b == 0) | (std::is_signed_v<T> & (b == static_cast<T>(-1)));
    const T divisor = trivial ? T(1) : b;
    return remainder(a, quotient<T>(a, divisor), divisor);
  }
};

struct FloorDiv {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_unsigned_v<T>) {
      return Div::apply(a, b);
    } else {
      const bool zero = b == 0;
      const bool minus_one = b == static_cast<T>(-1);
      const T divisor = (zero | minus_one) ? T(1) : b;
      const T q = quotient<T>(a, divisor);
      const bool down = (remainder(a, q, divisor) != 0) & ((a < 0) != (divisor < 0));
      const T floored = static_cast<T>(q - down);
      const T wrapped = minus_one ? negate(a) : floored;
      return zero ? T(0) : wrapped;
    }
  }
};

struct FloorMod {
  template <class T>
  static T apply(T a, T b) {
    const T r = Rem::apply(a, b);
    if constexpr (std::is_unsigned_v<T>) {
      return b == 0 ? T(0) : r;
    } else {
      const bool other_side = (r != 0) & ((r < 0) != (b < 0));
      return static_cast<T>(other_side ? r + b : r);
    }
  }
};

template <class T>
auto magnitude(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(a < 0 ? negate(a) : a);
}

struct Gcd {
  template <class T>
  static T apply(T a, T b) {
    auto x = magnitude(a);
    auto y = magnitude(b);
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
    const auto g = magnitude(Gcd::apply(a, b));
    return g == 0 ? T(0) : static_cast<T>(static_cast<uint64_t>(magnitude(a) / g) * magnitude(b));
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
