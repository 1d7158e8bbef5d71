/// Liveness: the last use of each value, as a position in the body of the region that defines it.
#pragma once

#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

class Liveness {
 public:
  explicit Liveness(const Kernel& kernel);

  /// Position in the body of the defining region; a use inside a nested region counts at the instruction that owns it.
  uint32_t last_use(Value v) const { return last_use_[v]; }
  RegionId home(Value v) const { return home_[v]; }
  uint32_t use_count(Value v) const { return use_count_[v]; }
  /// The region's values whose last use is the instruction at this position.
  const std::vector<Value>& ending(RegionId region, uint32_t position) const { return ending_[region][position]; }
  /// Whether memory is written by the instructions at positions (after, until), or inside the one at `until`.
  bool written_between(RegionId region, uint32_t after, uint32_t until) const;
  /// Whether memory is written by the instruction at this position or inside it.
  bool writes(RegionId region, uint32_t position) const { return writes_[region][position]; }

 private:
  struct Place {
    RegionId region;
    uint32_t position;
  };
  bool walk(RegionId region);
  void use(Value v);

  const Kernel& kernel_;
  std::vector<Place> path_;
  std::vector<uint32_t> last_use_;
  std::vector<uint32_t> use_count_;
  std::vector<RegionId> home_;
  std::vector<std::vector<std::vector<Value>>> ending_;
  std::vector<std::vector<char>> writes_;
};

}  // namespace tessera::ir
