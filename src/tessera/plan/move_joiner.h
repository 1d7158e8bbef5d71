/// MoveJoiner: copies and fills that follow each other, as moves that do not depend on each other.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/plan/byte_grid.h"
#include "tessera/plan/move_set.h"

namespace tessera::plan {

/// Boxes of a slot that get what is `distance` further on in another slot, or a scalar.
struct CopyRequest {
  std::vector<ByteBox> boxes;
  int32_t to = -1, from = -1;  // from -1: `value`
  int64_t distance = 0;
  NodeRef value{};
  int64_t item = 8;  // bytes of an element, where a scalar is written
};
/// What the kernel does for lanes [begin, end) of its outermost axis, where it copies elements unchanged or fills with
/// one scalar; offsets[k] is where the view of its operand k begins in this run. Nothing where some of them share an
/// address.
std::optional<CopyRequest> find_plain_copy(const KernelStep& step, std::span<const int64_t> offsets, int64_t begin,
                                           int64_t end);
/// Whether it is small enough to be done together with others.
bool is_small(const CopyRequest& request);

class MoveJoiner {
 public:
  /// `same_memory` says of two slots whether their bytes are the same ones; else they have no byte in common.
  explicit MoveJoiner(std::function<bool(int32_t, int32_t)> same_memory) : same_memory_(std::move(same_memory)) {}

  /// Adds what comes after those before; false, and it is not added, where they cannot be done at once.
  bool add(const CopyRequest& request);
  size_t size() const { return requests_.size(); }
  /// All that were added since the last time; nothing where one of them is not a set of moves.
  std::optional<MoveSet> take();

 private:
  struct GridMove {
    GridBox box;
    int32_t to, from;  // slots
    int64_t distance;
    NodeRef value;
  };
  std::optional<MoveSet> join() const;
  bool assign(const ByteGrid& grid, const CopyRequest& request, std::vector<GridMove>& moves) const;
  bool resolve(const ByteGrid& grid, const GridMove& wanted, const std::vector<GridMove>& moves,
               std::vector<GridMove>& added) const;
  bool are_independent(const ByteGrid& grid, const std::vector<GridMove>& moves) const;

  std::function<bool(int32_t, int32_t)> same_memory_;
  std::vector<CopyRequest> requests_;
  std::optional<MoveSet> joined_;
};

}  // namespace tessera::plan
