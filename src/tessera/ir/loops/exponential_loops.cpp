#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Exp {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::exp(x);
  }
};
struct Exp2 {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::exp2(x);
  }
};
struct Expm1 {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::expm1(x);
  }
};
struct Log {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::log(x);
  }
};
struct Log2 {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::log2(x);
  }
};
struct Log10 {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::log10(x);
  }
};
struct Log1p {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::log1p(x);
  }
};

}  // namespace

Loop find_exponential(Opcode op, DType t) {
  switch (op) {
    case Opcode::exp: return one_float<Exp>(t);
    case Opcode::exp2: return one_float<Exp2>(t);
    case Opcode::expm1: return one_float<Expm1>(t);
    case Opcode::log: return one_float<Log>(t);
    case Opcode::log2: return one_float<Log2>(t);
    case Opcode::log10: return one_float<Log10>(t);
    case Opcode::log1p: return one_float<Log1p>(t);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
