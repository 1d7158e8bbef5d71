#include "tessera/lanes/block_memory.h"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace tessera::lanes {

namespace {

constexpr std::align_val_t alignment{64};

struct Delete {
  void operator()(char* memory) const { ::operator delete[](memory, alignment); }
};

struct Piece {
  std::unique_ptr<char[], Delete> memory;
  size_t size = 0;
};

/// Kept between kernels, so that its pages are mapped once.
struct Pieces {
  std::vector<Piece> all;
  size_t taken = 0;
};
thread_local Pieces pieces;

}  // namespace

void* take_block_memory(int64_t bytes) noexcept {
  if (pieces.taken == pieces.all.size()) pieces.all.emplace_back();
  Piece& piece = pieces.all[pieces.taken++];
  const auto wanted = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  if (piece.size < wanted) {
    piece.memory.reset(static_cast<char*>(::operator new[](wanted, alignment)));
    piece.size = wanted;
  }
  return piece.memory.get();
}

void give_block_memory(int64_t count) noexcept { pieces.taken -= static_cast<size_t>(count); }

int64_t taken_block_memory() noexcept { return static_cast<int64_t>(pieces.taken); }

}  // namespace tessera::lanes
