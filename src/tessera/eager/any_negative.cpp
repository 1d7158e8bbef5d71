#include "tessera/eager/any_negative.h"

#include <algorithm>

namespace tessera::eager {

namespace {

template <class T>
bool has_negative(const char* data, int64_t n) {
  const T* values = reinterpret_cast<const T*>(data);
  T lowest = 0;
  for (int64_t i = 0; i < n; ++i) lowest = std::min(lowest, values[i]);
  return lowest < 0;
}

}  // namespace

bool any_negative(DType dtype, const char* elements, int64_t n) {
  switch (itemsize(dtype)) {
    case 1: return has_negative<int8_t>(elements, n);
    case 2: return has_negative<int16_t>(elements, n);
    case 4: return has_negative<int32_t>(elements, n);
    default: return has_negative<int64_t>(elements, n);
  }
}

}  // namespace tessera::eager
