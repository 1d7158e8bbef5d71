#include "tessera/eager/convert_rows.h"

#include <array>
#include <cstring>

#include "tessera/ir/loops.h"
#include "tessera/layout/row_walk.h"
#include "tessera/library/host/copy.h"

namespace tessera::eager {

namespace {

template <size_t size>
void move_row(char* const* at, const int64_t* steps, int64_t n) {
  if (steps[0] == size && steps[1] == size) {
    std::memcpy(at[1], at[0], size * n);
    return;
  }
  constexpr auto forward = static_cast<int64_t>(size);
  if (steps[0] == -forward && steps[1] == forward) {  // its own loop, so that it becomes one of vectors
    for (int64_t i = 0; i < n; ++i) std::memcpy(at[1] + i * forward, at[0] - i * forward, size);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(at[1] + i * steps[1], at[0] + i * steps[0], size);
}

ir::Loop row_move(int64_t size) {
  switch (size) {
    case 1: return move_row<1>;
    case 2: return move_row<2>;
    case 4: return move_row<4>;
    case 8: return move_row<8>;
    default: return move_row<16>;
  }
}

}  // namespace

bool can_convert(DType from, DType to) { return from == to || ir::find_loop(ir::Opcode::cast, from, to) != nullptr; }

void convert_rows(std::span<const int64_t> shape, const StridedElements& from, const StridedElements& to) {
  std::array<char*, 2> pointers{from.data, to.data};
  std::array<Dims, 2> strides{from.strides, to.strides};
  if (from.dtype == to.dtype) return walk_rows(shape, pointers, strides, row_move(itemsize(from.dtype)));
  if (const ir::Loop loop = ir::find_loop(ir::Opcode::cast, from.dtype, to.dtype))
    return walk_rows(shape, pointers, strides, loop);
  const library::CastLoop cast = library::find_cast_loop(from.dtype, to.dtype);
  walk_rows(shape, pointers, strides,
            [&](char* const* at, const int64_t* steps, int64_t n) { cast(at[0], steps[0], at[1], steps[1], n); });
}

}  // namespace tessera::eager
