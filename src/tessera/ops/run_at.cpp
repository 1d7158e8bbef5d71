#include "tessera/ops/run_at.h"

#include <cstring>

namespace tessera::ops {

namespace {

/// Byte offset of the element at this C-order position.
int64_t offset_of(const View& view, int64_t number) {
  int64_t offset = 0;
  for (int axis = view.ndim() - 1; axis >= 0; --axis) {
    offset += number % view.shape[axis] * view.strides[axis];
    number /= view.shape[axis];
  }
  return offset;
}

}  // namespace

uint32_t run_at(const EagerLoop& loop, char* target, const View& view, std::span<const int64_t> positions,
                const char* second, int64_t second_step, bool underflow) {
  DType type = view.dtype, in = loop.signature().in[0], out = loop.signature().out[0];
  bool dense = view.is_c_contiguous();
  bool direct = type == in && type == out;
  constexpr int64_t none[3] = {};
  alignas(16) char result[16];
  uint32_t events = 0;
  for (const int64_t number : positions) {
    char* element = target + (dense ? number * view.itemsize() : offset_of(view, number));
    Scalar converted;
    if (!direct) {
      converted.dtype = type;
      std::memcpy(converted.bytes, element, itemsize(type));
      converted = converted.cast_to(in);
    }
    char* first = direct ? element : reinterpret_cast<char*>(converted.bytes);
    char* pointers[3] = {first, const_cast<char*>(second), result};
    if (!second) pointers[1] = result;
    loop.run(pointers, none, 1);
    events |= loop.events(pointers, none, 1, underflow);
    if (direct) {
      std::memcpy(element, result, itemsize(out));
    } else {
      Scalar back;
      back.dtype = out;
      std::memcpy(back.bytes, result, itemsize(out));
      back = back.cast_to(type);
      std::memcpy(element, back.bytes, itemsize(type));
    }
    second += second_step;
  }
  return events;
}

}  // namespace tessera::ops
