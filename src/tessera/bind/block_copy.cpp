#include "tessera/bind/block_copy.h"

#include <cstring>

namespace tessera::bind {

namespace {

struct Wide {
  uint64_t parts[2];
};

template <class T>
void gather(const char* source, const int64_t* offsets, int64_t n, char* target) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(target + i * sizeof(T), source + offsets[i], sizeof(T));
}

template <class T>
void scatter(char* target, const int64_t* offsets, int64_t n, const char* source, int64_t step) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(target + offsets[i], source + i * step, sizeof(T));
}

}  // namespace

BlockCopy::BlockCopy(const View& block) : piece_(block.itemsize()), nbytes_(block.size() * block.itemsize()) {
  int axis = block.ndim();
  while (axis > 0 && (block.shape[axis - 1] == 1 || block.strides[axis - 1] == piece_)) {
    piece_ *= block.shape[axis - 1];
    --axis;
  }
  for (int k = 0; k < axis; ++k) {
    if (block.shape[k] == 1) continue;
    shape_.push_back(block.shape[k]);
    strides_.push_back(block.strides[k]);
  }
}

template <class Move>
void BlockCopy::walk(int64_t offset, size_t axis, int64_t& done, const Move& move) const {
  if (axis == shape_.size()) {
    move(offset, done);
    done += piece_;
    return;
  }
  for (int64_t i = 0; i < shape_[axis]; ++i) walk(offset + i * strides_[axis], axis + 1, done, move);
}

void BlockCopy::pack(const char* strided, char* packed) const {
  int64_t done = 0;
  auto piece = static_cast<size_t>(piece_);
  if (nbytes_ > 0) walk(0, 0, done, [=](int64_t at, int64_t to) { std::memcpy(packed + to, strided + at, piece); });
}

void BlockCopy::unpack(char* strided, const char* packed) const {
  int64_t done = 0;
  auto piece = static_cast<size_t>(piece_);
  if (nbytes_ > 0) walk(0, 0, done, [=](int64_t at, int64_t from) { std::memcpy(strided + at, packed + from, piece); });
}

void gather_elements(const char* source, const int64_t* offsets, int64_t n, int64_t itemsize, char* target) {
  switch (itemsize) {
    case 1: return gather<uint8_t>(source, offsets, n, target);
    case 2: return gather<uint16_t>(source, offsets, n, target);
    case 4: return gather<uint32_t>(source, offsets, n, target);
    case 8: return gather<uint64_t>(source, offsets, n, target);
    case 16: return gather<Wide>(source, offsets, n, target);
  }
}

void scatter_elements(char* target, const int64_t* offsets, int64_t n, int64_t itemsize, const char* source, int64_t step) {
  switch (itemsize) {
    case 1: return scatter<uint8_t>(target, offsets, n, source, step);
    case 2: return scatter<uint16_t>(target, offsets, n, source, step);
    case 4: return scatter<uint32_t>(target, offsets, n, source, step);
    case 8: return scatter<uint64_t>(target, offsets, n, source, step);
    case 16: return scatter<Wide>(target, offsets, n, source, step);
  }
}

}  // namespace tessera::bind
