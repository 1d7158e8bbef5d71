#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Sinh {
  template <class T>
  static T apply(T x) {
    return math::sinh(x);
  }
};
struct Cosh {
  template <class T>
  static T apply(T x) {
    return math::cosh(x);
  }
};
struct Tanh {
  template <class T>
  static T apply(T x) {
    return math::tanh(x);
  }
};
struct Asinh {
  template <class T>
  static T apply(T x) {
    return math::asinh(x);
  }
};
struct Acosh {
  template <class T>
  static T apply(T x) {
    return math::acosh(x);
  }
};
struct Atanh {
  template <class T>
  static T apply(T x) {
    return math::atanh(x);
  }
};
struct Cbrt {
  template <class T>
  static T apply(T x) {
    return math::cbrt(x);
  }
};
struct Erf {
  template <class T>
  static T apply(T x) {
    return math::erf(x);
  }
};
struct Erfc {
  template <class T>
  static T apply(T x) {
    return math::erfc(x);
  }
};

template <class F>
struct Shapes {
  template <class T>
  using One = StagedUnary<F, T, T>;
};

template <class F>
Loop one(DType t) {
  return for_float<Shapes<F>::template One>(t);
}

}  // namespace

Loop find_hyperbolic(Opcode op, DType t) {
  switch (op) {
    case Opcode::sinh: return one<Sinh>(t);
    case Opcode::cosh: return one<Cosh>(t);
    case Opcode::tanh: return one<Tanh>(t);
    case Opcode::asinh: return one<Asinh>(t);
    case Opcode::acosh: return one<Acosh>(t);
    case Opcode::atanh: return one<Atanh>(t);
    case Opcode::cbrt: return one<Cbrt>(t);
    case Opcode::erf: return one<Erf>(t);
    case Opcode::erfc: return one<Erfc>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
