#include "tessera/mapping/mapped.h"

#include <cstring>

#include "tessera/mapping/target.h"

namespace tessera::mapping {

namespace {

constexpr size_t scalar_bytes = 16;

int64_t number_of(const BoxNumber& number, const LaneBox& box) {
  switch (number.kind) {
    case BoxNumber::Kind::begin: return box.begin[number.axis];
    case BoxNumber::Kind::size: return box.end[number.axis] - box.begin[number.axis];
    case BoxNumber::Kind::extent: return box.extents[number.axis];
    case BoxNumber::Kind::zero: return 0;
  }
  return 0;
}

}  // namespace

LaunchShape rows_of_blocks(int64_t rows, int64_t columns, int64_t most) {
  const int64_t deep = (rows + most - 1) / most;
  return {.blocks = {deep, (rows + deep - 1) / deep, columns}};
}

LaunchShape shape_of_part(const Mapped& mapped, int64_t lanes) {
  const auto [along, times, each, factor] = mapped.by_first;
  LaunchShape shape = mapped.shape;
  if (along == BlocksByFirst::Along::none) return shape;
  const int64_t blocks = over(lanes * times, each) * factor;
  if (along == BlocksByFirst::Along::x)
    shape.blocks[2] = blocks;
  else
    shape.blocks = rows_of_blocks(blocks, shape.blocks[2], Target{}.most_blocks).blocks;
  return shape;
}

void write_scalars(const Mapped& mapped, const char* own, const LaneBox& box, char* to) {
  const size_t nbytes = scalar_bytes * mapped.own_scalars();
  if (nbytes) std::memcpy(to, own, nbytes);
  to += nbytes;
  for (const BoxNumber& number : mapped.parameters) {
    const int64_t words[] = {number_of(number, box), 0};
    std::memcpy(to, words, scalar_bytes);
    to += scalar_bytes;
  }
}

}  // namespace tessera::mapping
