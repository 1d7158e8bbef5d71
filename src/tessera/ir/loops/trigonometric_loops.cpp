#include "tessera/ir/loops/values.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

using math::AngleKind;

template <class F, AngleKind kind>
struct OfAngle {
  [[gnu::always_inline]] static double apply(double x) { return F::template apply<kind>(x); }
};

/// For doubles: stages without a large angle use only the fast path. The bits are the same.
template <class F>
void of_angles(char* r, const char* a, int64_t n) {
  for (int64_t i = 0; i < n; i += stage) {
    const int64_t at = i * static_cast<int64_t>(sizeof(double)), m = n - i < stage ? n - i : stage;
    uint64_t others = 0;
    TESSERA_VECTORIZE
    for (int64_t k = 0; k < m; ++k) {
      others |= math::is_small_angle(get<double>(a + at + k * static_cast<int64_t>(sizeof(double)))) ? 0 : 1;
    }
    if (others == 0) {
      StagedUnary<OfAngle<F, AngleKind::small>, double, double>::dense(r + at, a + at, m);
    } else {
      StagedUnary<OfAngle<F, AngleKind::mixed>, double, double>::dense(r + at, a + at, m);
    }
  }
}

struct Sin {
  template <AngleKind kind = AngleKind::any, class T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (std::same_as<T, double>)
      return math::sin<kind>(x);
    else
      return math::sin(x);
  }
  static void dense(char* r, const char* a, int64_t n) { of_angles<Sin>(r, a, n); }
};
struct Cos {
  template <AngleKind kind = AngleKind::any, class T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (std::same_as<T, double>)
      return math::cos<kind>(x);
    else
      return math::cos(x);
  }
  static void dense(char* r, const char* a, int64_t n) { of_angles<Cos>(r, a, n); }
};
struct Tan {
  template <AngleKind kind = AngleKind::any, class T>
  [[gnu::always_inline]] static T apply(T x) {
    if constexpr (std::same_as<T, double>)
      return math::tan<kind>(x);
    else
      return math::tan(x);
  }
  static void dense(char* r, const char* a, int64_t n) { of_angles<Tan>(r, a, n); }
};
struct Asin {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::asin(x);
  }
};
struct Acos {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::acos(x);
  }
};
struct Atan {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::atan(x);
  }
};

template <class As>
typename As::Result find_as(Opcode op, DType t) {
  switch (op) {
    case Opcode::sin: return As::template one<Sin>(t);
    case Opcode::cos: return As::template one<Cos>(t);
    case Opcode::tan: return As::template one<Tan>(t);
    case Opcode::asin: return As::template one<Asin>(t);
    case Opcode::acos: return As::template one<Acos>(t);
    case Opcode::atan: return As::template one<Atan>(t);
    default: return {};
  }
}

}  // namespace

Loop find_trigonometric(Opcode op, DType t) { return find_as<AsLoop>(op, t); }
ValueFunction find_trigonometric_values(Opcode op, DType t) { return find_as<AsValueFunction>(op, t); }

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
