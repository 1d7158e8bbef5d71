#include "tessera/mapping/mapped.h"

#include <cstring>

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
