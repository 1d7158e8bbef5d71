#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  static uint8_t apply(uint8_t a) { return a ^ 1; }
};

template <class T>
inline constexpr int width = static_cast<int>(8 * sizeof(T));

// Shift counts at or past the width, including negative ones, shift everything out.
struct ShiftLeft {
  template <class T>
  static T apply(T a, T count) {
    using U = std::make_unsigned_t<T>;
    const bool inside = static_cast<U>(count) < width<T>;
    return inside ? static_cast<T>(static_cast<uint64_t>(a) << (count & (width<T> - 1))) : T(0);
  }
};

struct ShiftRight {
  template <class T>
  static T apply(T a, T count) {
    using U = std::make_unsigned_t<T>;
    const bool inside = static_cast<U>(count) < width<T>;
    const T all_out = static_cast<T>(a < 0 ? -1 : 0);
    return inside ? static_cast<T>(a >> (count & (width<T> - 1))) : all_out;
  }
};

template <class F>
struct Shapes {
  template <class T>
  using One = Unary<F, T, T>;
  template <class T>
  using Two = Binary<F, T, T, T>;
};

}  // namespace

Loop find_bits(Opcode op, DType t) {
  switch (op) {
    case Opcode::bit_and: return for_width<Shapes<And>::Two>(t);
    case Opcode::bit_or: return for_width<Shapes<Or>::Two>(t);
    case Opcode::bit_xor: return for_width<Shapes<Xor>::Two>(t);
    case Opcode::bit_not:
      return is_boolean(t) ? &Unary<LogicalNot, uint8_t, uint8_t>::loop : for_width<Shapes<Not>::One>(t);
    case Opcode::shift_left: return for_width<Shapes<ShiftLeft>::Two>(t);
    case Opcode::shift_right: return for_integer<Shapes<ShiftRight>::Two>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
