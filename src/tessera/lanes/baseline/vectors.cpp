#include "tessera/lanes/baseline/vectors.h"

namespace tessera::lanes {

Vector Vectors::of_bytes(int64_t bytes, int index) {
  if (bytes == 64) return Xbyak::Zmm(index);
  return bytes == 32 ? static_cast<Vector>(Xbyak::Ymm(index)) : Vector(index);
}

Vector Vectors::as(DType dtype, int index) const {
  return is_boolean(dtype) ? whole(index) : of_bytes(width() * itemsize(dtype), index);
}

}  // namespace tessera::lanes
