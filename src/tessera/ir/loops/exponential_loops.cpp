#include "tessera/ir/loops/values.h"

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

template <class As>
typename As::Result find_as(Opcode op, DType t) {
  switch (op) {
    case Opcode::exp: return As::template one<Exp>(t);
    case Opcode::exp2: return As::template one<Exp2>(t);
    case Opcode::expm1: return As::template one<Expm1>(t);
    case Opcode::log: return As::template one<Log>(t);
    case Opcode::log2: return As::template one<Log2>(t);
    case Opcode::log10: return As::template one<Log10>(t);
    case Opcode::log1p: return As::template one<Log1p>(t);
    default: return {};
  }
}

}  // namespace

Loop find_exponential(Opcode op, DType t) { return find_as<AsLoop>(op, t); }
ValueFunction find_exponential_values(Opcode op, DType t) { return find_as<AsValueFunction>(op, t); }

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
