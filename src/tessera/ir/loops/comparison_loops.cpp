#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Eq {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a != b;
  }
};
struct Lt {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static uint8_t apply(T a, T b) {
    return a >= b;
  }
};

template <class F>
struct Shapes {
  template <class T>
  using Two = Binary<F, uint8_t, T, T>;
};

template <class F>
Loop ordered(DType t) {
  if (is_floating(t)) return for_float<Shapes<F>::template Two>(t);
  return is_boolean(t) ? for_integer<Shapes<F>::template Two>(DType::uint8) : for_integer<Shapes<F>::template Two>(t);
}

template <class F>
Loop equal(DType t) {
  return is_floating(t) ? for_float<Shapes<F>::template Two>(t) : for_width<Shapes<F>::template Two>(t);
}

}  // namespace

Loop find_comparison(Opcode op, DType t) {
  switch (op) {
    case Opcode::eq: return equal<Eq>(t);
    case Opcode::ne: return equal<Ne>(t);
    case Opcode::lt: return ordered<Lt>(t);
    case Opcode::le: return ordered<Le>(t);
    case Opcode::gt: return ordered<Gt>(t);
    case Opcode::ge: return ordered<Ge>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
