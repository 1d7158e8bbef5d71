#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Sin {
  template <class T>
  static T apply(T x) {
    return math::sin(x);
  }
};
struct Cos {
  template <class T>
  static T apply(T x) {
    return math::cos(x);
  }
};
struct Tan {
  template <class T>
  static T apply(T x) {
    return math::tan(x);
  }
};
struct Asin {
  template <class T>
  static T apply(T x) {
    return math::asin(x);
  }
};
struct Acos {
  template <class T>
  static T apply(T x) {
    return math::acos(x);
  }
};
struct Atan {
  template <class T>
  static T apply(T x) {
    return math::atan(x);
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

Loop find_trigonometric(Opcode op, DType t) {
  switch (op) {
    case Opcode::sin: return one<Sin>(t);
    case Opcode::cos: return one<Cos>(t);
    case Opcode::tan: return one<Tan>(t);
    case Opcode::asin: return one<Asin>(t);
    case Opcode::acos: return one<Acos>(t);
    case Opcode::atan: return one<Atan>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
