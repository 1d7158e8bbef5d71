#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Pow {
  template <class T>
  static T apply(T x, T y) {
    return math::pow(x, y);
  }
};
struct Atan2 {
  template <class T>
  static T apply(T y, T x) {
    return math::atan2(y, x);
  }
};
struct Hypot {
  template <class T>
  static T apply(T x, T y) {
    return math::hypot(x, y);
  }
};
struct Rem {
  template <class T>
  static T apply(T x, T y) {
    return math::fmod(x, y);
  }
};
struct FloorDiv {
  template <class T>
  static T apply(T x, T y) {
    return math::floor_div(x, y);
  }
};
struct FloorMod {
  template <class T>
  static T apply(T x, T y) {
    return math::floor_mod(x, y);
  }
};
struct Ldexp {
  template <class T>
  static T apply(T x, int32_t k) {
    return math::ldexp(x, k);
  }
};
struct Tgamma {
  template <class T>
  static T apply(T x) {
    return math::tgamma(x);
  }
};
struct Lgamma {
  template <class T>
  static T apply(T x) {
    return math::lgamma(x);
  }
};
struct FrexpMantissa {
  template <class T>
  static T apply(T x) {
    return math::frexp_mantissa(x);
  }
};
struct FrexpExponent {
  template <class T>
  static int32_t apply(T x) {
    return math::frexp_exponent(x);
  }
};

template <class F>
struct Shapes {
  template <class T>
  using One = StagedUnary<F, T, T>;
  template <class T>
  using Two = StagedBinary<F, T, T, T>;
};

template <class T>
using LdexpShape = StagedBinary<Ldexp, T, T, int32_t>;
template <class T>
using ExponentShape = StagedUnary<FrexpExponent, int32_t, T>;

template <class F>
Loop one(DType t) {
  return for_float<Shapes<F>::template One>(t);
}
template <class F>
Loop two(DType t) {
  return for_float<Shapes<F>::template Two>(t);
}

}  // namespace

Loop find_special(Opcode op, DType t) {
  switch (op) {
    case Opcode::pow: return two<Pow>(t);
    case Opcode::atan2: return two<Atan2>(t);
    case Opcode::hypot: return two<Hypot>(t);
    case Opcode::rem: return two<Rem>(t);
    case Opcode::floor_div: return two<FloorDiv>(t);
    case Opcode::floor_mod: return two<FloorMod>(t);
    case Opcode::ldexp: return for_float<LdexpShape>(t);
    case Opcode::tgamma: return one<Tgamma>(t);
    case Opcode::lgamma: return one<Lgamma>(t);
    case Opcode::frexp_mantissa: return one<FrexpMantissa>(t);
    case Opcode::frexp_exponent: return for_float<ExponentShape>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
