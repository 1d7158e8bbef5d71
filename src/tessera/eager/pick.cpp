#include "tessera/eager/pick.h"

#include <algorithm>
#include <cstring>

namespace tessera::eager {

namespace {

template <class T>
bool pick(const char* from, const View& view, std::span<const int64_t> at, char* to) {
  int64_t extent = view.shape[0], stride = view.strides[0];
  for (size_t k = 0; k < at.size(); ++k) {
    int64_t i = at[k] < 0 ? at[k] + extent : at[k];
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) return false;
    std::memcpy(to + k * sizeof(T), from + i * stride, sizeof(T));
  }
  return true;
}

}  // namespace

/// The number of elements in one row of `view`, or -1 when a row's elements are not contiguous.
int64_t row_size(const View& view) {
  int64_t size = 1;
  for (int axis = view.ndim() - 1; axis > 0; --axis) {
    if (view.shape[axis] != 1 && view.strides[axis] != size * view.itemsize()) return -1;
    size *= view.shape[axis];
  }
  return size;
}

bool pick_rows(const char* from, const View& view, std::span<const int64_t> at, size_t row_bytes, char* to) {
  if (row_bytes == 8) return pick<uint64_t>(from, view, at, to);
  if (row_bytes == 4) return pick<uint32_t>(from, view, at, to);
  if (row_bytes == 1) return pick<uint8_t>(from, view, at, to);
  int64_t extent = view.shape[0], stride = view.strides[0];
  for (size_t k = 0; k < at.size(); ++k) {
    int64_t i = at[k] < 0 ? at[k] + extent : at[k];
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) return false;
    std::memcpy(to + k * row_bytes, from + i * stride, row_bytes);
  }
  return true;
}

bool put_elements(char* to, const View& view, std::span<const int64_t> at, const void* values, size_t step) {
  const int64_t extent = view.shape[0], stride = view.strides[0];
  const auto within = [&](int64_t i) { return i >= -extent && i < extent; };
  if (!std::all_of(at.begin(), at.end(), within)) return false;
  const auto size = static_cast<size_t>(view.itemsize());
  const char* value = static_cast<const char*>(values);
  for (const int64_t i : at) {
    std::memcpy(to + (i < 0 ? i + extent : i) * stride, value, size);
    value += step;
  }
  return true;
}

}  // namespace tessera::eager
