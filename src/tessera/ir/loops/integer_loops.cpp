#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

// Products of narrow unsigned integers would promote to int and overflow it.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Wide<T>(a) + Wide<T>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Wide<T>(a) - Wide<T>(b));
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Wide<T>(a) * Wide<T>(b));
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(Wide<T>(0) - Wide<T>(a));
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Sign {
  template <class T>
  static T apply(T a) {
    return static_cast<T>((a > 0) - (a < 0));
  }
};
struct Popcount {
  template <class T>
  static uint8_t apply(T a) {
    return static_cast<uint8_t>(std::popcount(std::make_unsigned_t<T>(a)));
  }
};

struct LeadingZeros {
  template <class T>
  static uint8_t apply(T a) {
    return static_cast<uint8_t>(std::countl_zero(std::make_unsigned_t<T>(a)));
  }
};
struct ReverseBits {
  template <class T>
  static T apply(T a) {
    uint64_t x = static_cast<uint64_t>(a) << (64 - 8 * sizeof(T));
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return static_cast<T>(__builtin_bswap64(x));
  }
};
struct MulHigh {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_signed_v<T>) return static_cast<T>((__int128{a} * b) >> (8 * sizeof(T)));
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> (8 * sizeof(T)));
  }
};

struct Pow {
  template <class T>
  static T apply(T base, T exponent) {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == -1) return exponent % 2 ? T(-1) : T(1);
        return 0;
      }
    }
    Wide<T> result = 1;
    Wide<T> square = base;
    for (auto e = static_cast<std::make_unsigned_t<T>>(exponent); e; e = static_cast<decltype(e)>(e >> 1)) {
      if (e & 1) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
};

template <class F>
struct Shapes {
  template <class T>
  using One = Unary<F, T, T>;
  template <class T>
  using Two = Binary<F, T, T, T>;
};
template <class T>
using PopcountShape = Unary<Popcount, uint8_t, T>;
template <class T>
using LeadingZerosShape = Unary<LeadingZeros, uint8_t, T>;

// Wrapping arithmetic is the same for signed and unsigned types.
template <class F>
Loop wrapping(DType t) {
  return for_width<Shapes<F>::template Two>(t);
}
template <class F>
Loop two(DType t) {
  return for_integer<Shapes<F>::template Two>(t);
}
template <class F>
Loop one(DType t) {
  return for_integer<Shapes<F>::template One>(t);
}

}  // namespace

Loop find_integer(Opcode op, DType t) {
  switch (op) {
    case Opcode::add: return wrapping<Add>(t);
    case Opcode::sub: return wrapping<Sub>(t);
    case Opcode::mul: return wrapping<Mul>(t);
    case Opcode::min:
    case Opcode::min_num: return two<Min>(t);
    case Opcode::max:
    case Opcode::max_num: return two<Max>(t);
    case Opcode::pow: return two<Pow>(t);
    case Opcode::neg: return for_width<Shapes<Neg>::One>(t);
    case Opcode::abs: return one<Abs>(t);
    case Opcode::sign: return one<Sign>(t);
    case Opcode::popcount: return for_width<PopcountShape>(t);
    case Opcode::leading_zeros: return for_width<LeadingZerosShape>(t);
    case Opcode::reverse_bits: return for_width<Shapes<ReverseBits>::One>(t);
    case Opcode::mul_high: return two<MulHigh>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
