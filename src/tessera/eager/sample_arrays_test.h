/// Arrays for the tests of this room, from and to lists of numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/eager/host_array.h"
#include "tessera/eager/host_memory.h"
#include "tessera/ops/op.h"

namespace tessera::eager {

inline Array array_of(const std::vector<double>& values, const Dims& shape) {
  [[maybe_unused]] static const bool ready = (install_memory_hooks(), true);
  Array array = make_array(View::contiguous(shape, DType::float64));
  std::copy(values.begin(), values.end(), reinterpret_cast<double*>(first_element(array)));
  return array;
}
inline Array array_of(const std::vector<double>& values) {
  return array_of(values, Dims{static_cast<int64_t>(values.size())});
}

/// The elements of a contiguous array.
template <class T = double>
std::vector<T> elements(const Array& array) {
  const T* data = reinterpret_cast<const T*>(first_element(array));
  return {data, data + array.size()};
}

inline const ops::Op& op_named(const char* name) { return *ops::OpTable::standard().find(name); }
/// The op's loop for operands that are all of this type.
inline const ops::Signature& loop_of(const ops::Op& op, DType type = DType::float64) {
  return *std::find_if(op.signatures.begin(), op.signatures.end(), [&](const ops::Signature& s) {
    return std::all_of(s.in.begin(), s.in.end(), [&](DType in) { return in == type; });
  });
}

using Values = std::vector<double>;

}  // namespace tessera::eager
