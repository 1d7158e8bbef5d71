#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return math::min(a, b);
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return math::max(a, b);
  }
};
struct MinNum {
  template <class T>
  static T apply(T a, T b) {
    return math::min_num(a, b);
  }
};
struct MaxNum {
  template <class T>
  static T apply(T a, T b) {
    return math::max_num(a, b);
  }
};
struct Copysign {
  template <class T>
  static T apply(T a, T b) {
    return math::copysign(a, b);
  }
};
struct NextAfter {
  template <class T>
  static T apply(T a, T b) {
    return math::next_after(a, b);
  }
};
struct Fma {
  template <class T>
  static T apply(T a, T b, T c) {
    return math::fma_(a, b, c);
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return -a;
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return math::fabs(a);
  }
};
struct Sign {
  template <class T>
  static T apply(T a) {
    return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
  }
};
struct Sqrt {
  template <class T>
  static T apply(T a) {
    return math::sqrt(a);
  }
};
struct Floor {
  template <class T>
  static T apply(T a) {
    return math::floor(a);
  }
};
struct Ceil {
  template <class T>
  static T apply(T a) {
    return math::ceil(a);
  }
};
struct Trunc {
  template <class T>
  static T apply(T a) {
    return math::trunc(a);
  }
};
struct Rint {
  template <class T>
  static T apply(T a) {
    return math::rint(a);
  }
};
struct Spacing {
  template <class T>
  static T apply(T a) {
    return math::spacing(a);
  }
};
struct GuessReciprocal {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};
struct IsNan {
  template <class T>
  static uint8_t apply(T a) {
    return math::is_nan(a);
  }
};
struct IsInf {
  template <class T>
  static uint8_t apply(T a) {
    return math::is_inf(a);
  }
};
struct IsFinite {
  template <class T>
  static uint8_t apply(T a) {
    return math::is_finite(a);
  }
};
struct SignBit {
  template <class T>
  static uint8_t apply(T a) {
    return math::sign_bit(a);
  }
};

template <class F>
struct Shapes {
  template <class T>
  using One = Unary<F, T, T>;
  template <class T>
  using Two = Binary<F, T, T, T>;
  template <class T>
  using Three = Ternary<F, T, T, T, T>;
  template <class T>
  using Test = Unary<F, uint8_t, T>;
};

template <class F>
Loop one(DType t) {
  return for_float<Shapes<F>::template One>(t);
}
template <class F>
Loop two(DType t) {
  return for_float<Shapes<F>::template Two>(t);
}
template <class F>
Loop test(DType t) {
  return for_float<Shapes<F>::template Test>(t);
}

}  // namespace

Loop find_float(Opcode op, DType t) {
  switch (op) {
    case Opcode::add: return two<Add>(t);
    case Opcode::sub: return two<Sub>(t);
    case Opcode::mul: return two<Mul>(t);
    case Opcode::div: return two<Div>(t);
    case Opcode::min: return two<Min>(t);
    case Opcode::max: return two<Max>(t);
    case Opcode::min_num: return two<MinNum>(t);
    case Opcode::max_num: return two<MaxNum>(t);
    case Opcode::copysign: return two<Copysign>(t);
    case Opcode::next_after: return two<NextAfter>(t);
    case Opcode::fma: return for_float<Shapes<Fma>::Three>(t);
    case Opcode::neg: return one<Neg>(t);
    case Opcode::abs: return one<Abs>(t);
    case Opcode::sign: return one<Sign>(t);
    case Opcode::sqrt: return one<Sqrt>(t);
    case Opcode::floor: return one<Floor>(t);
    case Opcode::ceil: return one<Ceil>(t);
    case Opcode::trunc: return one<Trunc>(t);
    case Opcode::rint: return one<Rint>(t);
    case Opcode::spacing: return one<Spacing>(t);
    case Opcode::guess_reciprocal: return one<GuessReciprocal>(t);
    default: return nullptr;
  }
}

Loop find_float_test(Opcode op, DType t) {
  switch (op) {
    case Opcode::is_nan: return test<IsNan>(t);
    case Opcode::is_inf: return test<IsInf>(t);
    case Opcode::is_finite: return test<IsFinite>(t);
    case Opcode::sign_bit: return test<SignBit>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
