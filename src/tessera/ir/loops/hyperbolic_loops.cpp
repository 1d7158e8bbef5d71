#include "tessera/ir/loops/values.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Sinh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::sinh(x);
  }
};
struct Cosh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::cosh(x);
  }
};
struct Tanh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::tanh(x);
  }
};
struct Asinh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::asinh(x);
  }
};
struct Acosh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::acosh(x);
  }
};
struct Atanh {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::atanh(x);
  }
};
struct Cbrt {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::cbrt(x);
  }
};
struct Erf {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::erf(x);
  }

#if defined(__AVX512F__)
  /// For doubles: the compiler's vectoriser would use gather instructions for the table.
  static void dense(char* r, const char* a, int64_t n) {
    const double* from = reinterpret_cast<const double*>(a);
    double* to = reinterpret_cast<double*>(r);
    double rest[math::Pack::size] = {};
    for (; n >= math::Pack::size; n -= math::Pack::size, from += math::Pack::size, to += math::Pack::size) {
      math::erf_by_interval(math::Pack::load(from)).store(to);
    }
    if (n == 0) return;
    std::memcpy(rest, from, static_cast<size_t>(n) * sizeof(double));
    math::erf_by_interval(math::Pack::load(rest)).store(rest);
    std::memcpy(to, rest, static_cast<size_t>(n) * sizeof(double));
  }
#endif
};
struct Erfc {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::erfc(x);
  }
};

template <class As>
typename As::Result find_as(Opcode op, DType t) {
  switch (op) {
    case Opcode::sinh: return As::template one<Sinh>(t);
    case Opcode::cosh: return As::template one<Cosh>(t);
    case Opcode::tanh: return As::template one<Tanh>(t);
    case Opcode::asinh: return As::template one<Asinh>(t);
    case Opcode::acosh: return As::template one<Acosh>(t);
    case Opcode::atanh: return As::template one<Atanh>(t);
    case Opcode::cbrt: return As::template one<Cbrt>(t);
    case Opcode::erf: return As::template one<Erf>(t);
    case Opcode::erfc: return As::template one<Erfc>(t);
    default: return {};
  }
}

}  // namespace

Loop find_hyperbolic(Opcode op, DType t) { return find_as<AsLoop>(op, t); }
ValueFunction find_hyperbolic_values(Opcode op, DType t) { return find_as<AsValueFunction>(op, t); }

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
