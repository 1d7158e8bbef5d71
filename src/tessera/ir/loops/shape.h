/// Loop templates by operand count: one function over n elements, with fast paths for contiguous and broadcast
/// operands.
#pragma once

#include "tessera/ir/loops/level.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {
namespace {

template <class T>
[[gnu::always_inline]] inline T get(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void put(char* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

/// A complex number in memory layout.
template <class T>
struct Interleaved {
  T re, im;
};

/// r[i] = F(a[i]).
template <class F, class R, class A>
struct Unary {
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    const char* a = p[0];
    char* r = p[1];
    if (s[0] == sizeof(A) && s[1] == sizeof(R)) {
      TESSERA_VECTORIZE
      for (int64_t i = 0; i < n; ++i) put<R>(r + i * sizeof(R), F::apply(get<A>(a + i * sizeof(A))));
      return;
    }
    for (int64_t i = 0; i < n; ++i) put<R>(r + i * s[1], F::apply(get<A>(a + i * s[0])));
  }
};

/// r[i] = F(a[i], b[i]).
template <class F, class R, class A, class B>
struct Binary {
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    const char* a = p[0];
    const char* b = p[1];
    char* r = p[2];
    if (s[2] == sizeof(R)) {
      if (s[0] == sizeof(A) && s[1] == sizeof(B)) {
        TESSERA_VECTORIZE
        for (int64_t i = 0; i < n; ++i) {
          put<R>(r + i * sizeof(R), F::apply(get<A>(a + i * sizeof(A)), get<B>(b + i * sizeof(B))));
        }
        return;
      }
      if (s[0] == sizeof(A) && s[1] == 0) {
        const B fixed = get<B>(b);
        TESSERA_VECTORIZE
        for (int64_t i = 0; i < n; ++i) put<R>(r + i * sizeof(R), F::apply(get<A>(a + i * sizeof(A)), fixed));
        return;
      }
      if (s[0] == 0 && s[1] == sizeof(B)) {
        const A fixed = get<A>(a);
        TESSERA_VECTORIZE
        for (int64_t i = 0; i < n; ++i) put<R>(r + i * sizeof(R), F::apply(fixed, get<B>(b + i * sizeof(B))));
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) put<R>(r + i * s[2], F::apply(get<A>(a + i * s[0]), get<B>(b + i * s[1])));
  }
};

/// r[i] = F(a[i], b[i], c[i]).
template <class F, class R, class A, class B, class C>
struct Ternary {
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    const char* a = p[0];
    const char* b = p[1];
    const char* c = p[2];
    char* r = p[3];
    if (s[0] == sizeof(A) && s[1] == sizeof(B) && s[2] == sizeof(C) && s[3] == sizeof(R)) {
      TESSERA_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        put<R>(r + i * sizeof(R),
               F::apply(get<A>(a + i * sizeof(A)), get<B>(b + i * sizeof(B)), get<C>(c + i * sizeof(C))));
      }
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      put<R>(r + i * s[3], F::apply(get<A>(a + i * s[0]), get<B>(b + i * s[1]), get<C>(c + i * s[2])));
    }
  }
};

/// The number of elements that a staged loop gathers at once.
inline constexpr int64_t stage = 128;

template <class T>
void gather(T* to, const char* from, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = get<T>(from + i * stride);
}
template <class T>
void scatter(char* to, int64_t stride, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) put<T>(to + i * stride, from[i]);
}

/// Calls each(i) for all i < n, four vectors of T at a time, so that their chains of dependent instructions overlap.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_vector(int64_t n, F each) {
  constexpr int64_t together = 4 * vector_bytes / sizeof(T);
  int64_t i = 0;
  for (; i + together <= n; i += together) {
    TESSERA_VECTORIZE_INTERLEAVED
    for (int64_t k = i; k < i + together; ++k) each(k);
  }
  TESSERA_VECTORIZE_SINGLY
  for (; i < n; ++i) each(i);
}

/// A function of doubles that has its own loop over contiguous elements.
template <class F, class A>
concept HasDense = std::same_as<A, double> && requires { &F::dense; };

/// Unary for functions that profit from vector code at any stride: other strides go through a small contiguous buffer.
template <class F, class R, class A>
struct StagedUnary {
  [[gnu::noinline]] static void dense(char* r, const char* a, int64_t n) {
    if constexpr (HasDense<F, A>) {
      F::dense(r, a, n);
    } else {
      for_each_vector<A>(n, [=](int64_t i) __attribute__((always_inline)) {
        put<R>(r + i * sizeof(R), F::apply(get<A>(a + i * sizeof(A))));
      });
    }
  }
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    if (s[0] == sizeof(A) && s[1] == sizeof(R)) return dense(p[1], p[0], n);
    A in[stage];
    R out[stage];
    for (int64_t i = 0; i < n; i += stage) {
      const int64_t m = n - i < stage ? n - i : stage;
      gather<A>(in, p[0] + i * s[0], s[0], m);
      dense(reinterpret_cast<char*>(out), reinterpret_cast<const char*>(in), m);
      scatter<R>(p[1] + i * s[1], s[1], out, m);
    }
  }
};

template <class F, class R, class A, class B>
struct StagedBinary {
  [[gnu::noinline]] static void dense(char* r, const char* a, const char* b, int64_t n) {
    if constexpr (HasDense<F, A>) {
      F::dense(r, a, b, n);
    } else {
      for_each_vector<A>(n, [=](int64_t i) __attribute__((always_inline)) {
        put<R>(r + i * sizeof(R), F::apply(get<A>(a + i * sizeof(A)), get<B>(b + i * sizeof(B))));
      });
    }
  }
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    if (s[0] == sizeof(A) && s[1] == sizeof(B) && s[2] == sizeof(R)) return dense(p[2], p[0], p[1], n);
    A left[stage];
    B right[stage];
    R out[stage];
    for (int64_t i = 0; i < n; i += stage) {
      const int64_t m = n - i < stage ? n - i : stage;
      gather<A>(left, p[0] + i * s[0], s[0], m);
      gather<B>(right, p[1] + i * s[1], s[1], m);
      dense(reinterpret_cast<char*>(out), reinterpret_cast<const char*>(left), reinterpret_cast<const char*>(right), m);
      scatter<R>(p[2] + i * s[2], s[2], out, m);
    }
  }
};

/// Selects the loop of a template whose operands and result have one floating type.
template <template <class> class Shape>
Loop for_float(DType t) {
  if (t == DType::float32) return &Shape<float>::loop;
  if (t == DType::float64) return &Shape<double>::loop;
  return nullptr;
}

/// Selects the staged loop of a function whose operand and result have one floating type.
template <class F>
struct StagedFunction {
  template <class T>
  using Shape = StagedUnary<F, T, T>;
};
template <class F>
Loop one_float(DType t) {
  return for_float<StagedFunction<F>::template Shape>(t);
}

template <template <class> class Shape>
Loop for_integer(DType t) {
  switch (t) {
    case DType::int8: return &Shape<int8_t>::loop;
    case DType::uint8: return &Shape<uint8_t>::loop;
    case DType::int16: return &Shape<int16_t>::loop;
    case DType::uint16: return &Shape<uint16_t>::loop;
    case DType::int32: return &Shape<int32_t>::loop;
    case DType::uint32: return &Shape<uint32_t>::loop;
    case DType::int64: return &Shape<int64_t>::loop;
    case DType::uint64: return &Shape<uint64_t>::loop;
    default: return nullptr;
  }
}

/// For operations that are the same on signed and unsigned types.
template <template <class> class Shape>
Loop for_width(DType t) {
  switch (itemsize(t)) {
    case 1: return &Shape<uint8_t>::loop;
    case 2: return &Shape<uint16_t>::loop;
    case 4: return &Shape<uint32_t>::loop;
    default: return &Shape<uint64_t>::loop;
  }
}

}  // namespace
}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
