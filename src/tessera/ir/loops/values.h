/// Functions of one value and of a vector register's, from a family's operations.
#pragma once

#include "tessera/ir/loops/shape.h"
#include "tessera/ir/loops/value_families.h"

#if defined(__clang__)
// As a loop, not unrolled into lanes of their own.
#define TESSERA_VECTORIZE_WHOLE _Pragma("clang loop vectorize(assume_safety) interleave_count(1) unroll(disable)")
#else
#define TESSERA_VECTORIZE_WHOLE TESSERA_VECTORIZE
#endif

namespace tessera::ir::TESSERA_LOOP_LEVEL {
namespace {

template <class T>
using Register [[gnu::vector_size(vector_bytes)]] = T;

template <class F, class T>
struct OfValues {
  static constexpr int64_t count = vector_bytes / sizeof(T);
  static T one(T x) { return F::apply(x); }
  static T one_of_two(T x, T y) { return F::apply(x, y); }
  static Register<T> many(Register<T> x) {
    T in[count], out[count];
    std::memcpy(in, &x, sizeof x);
    TESSERA_VECTORIZE_WHOLE
    for (int64_t k = 0; k < count; ++k) out[k] = F::apply(in[k]);
    std::memcpy(&x, out, sizeof x);
    return x;
  }
  static Register<T> many_of_two(Register<T> x, Register<T> y) {
    T left[count], right[count], out[count];
    std::memcpy(left, &x, sizeof x);
    std::memcpy(right, &y, sizeof y);
    TESSERA_VECTORIZE_WHOLE
    for (int64_t k = 0; k < count; ++k) out[k] = F::apply(left[k], right[k]);
    std::memcpy(&x, out, sizeof x);
    return x;
  }
};

constexpr bool has_vectors = vector_bytes > 16;

template <class F, class T>
ValueFunction value_function_of_one() {
  void* many = nullptr;
  if constexpr (has_vectors) many = reinterpret_cast<void*>(&OfValues<F, T>::many);
  return {reinterpret_cast<void*>(&OfValues<F, T>::one), many};
}
template <class F, class T>
ValueFunction value_function_of_two() {
  void* many = nullptr;
  if constexpr (has_vectors) many = reinterpret_cast<void*>(&OfValues<F, T>::many_of_two);
  return {reinterpret_cast<void*>(&OfValues<F, T>::one_of_two), many};
}

template <class F>
struct StagedFunctionOfTwo {
  template <class T>
  using Shape = StagedBinary<F, T, T, T>;
};
template <class F>
Loop two_floats(DType t) {
  return for_float<StagedFunctionOfTwo<F>::template Shape>(t);
}

/// What a family gives for an operation: its loop, or its functions.
struct AsLoop {
  using Result = Loop;
  template <class F>
  static Loop one(DType t) {
    return one_float<F>(t);
  }
  template <class F>
  static Loop two(DType t) {
    return two_floats<F>(t);
  }
};
struct AsValueFunction {
  using Result = ValueFunction;
  template <class F>
  static ValueFunction one(DType t) {
    return t == DType::float32 ? value_function_of_one<F, float>() : value_function_of_one<F, double>();
  }
  template <class F>
  static ValueFunction two(DType t) {
    return t == DType::float32 ? value_function_of_two<F, float>() : value_function_of_two<F, double>();
  }
};

}  // namespace
}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
