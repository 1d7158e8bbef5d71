/// Dependence: how deep inside the loop nest each value of a kernel must be computed.
#pragma once

#include <unordered_map>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// How many axes, the last ones, have their lanes walked together: those of the block where its lanes meet, else one.
int lane_axes(const ir::Kernel& kernel);
/// The number of iterations of a counted loop that each lane of a block may run as a whole, so that its sums stay in
/// registers and the loop over lanes around it is vectorised: few, known, straight-line code without effects. Else 0.
int64_t short_iterations(const ir::Kernel& kernel, ir::Value loop);

/// Levels, from outermost to innermost:
///   0        the same for every lane
///   k + 1    changes with axis k (k < ndim - lane_axes)
///   row      computed in place outside a lane loop: depends on uniform control flow
///   lane     differs between lanes of the innermost axes, or has an effect per lane
class Dependence {
 public:
  explicit Dependence(const ir::Kernel& kernel);

  int row() const { return row_; }
  int lane() const { return row_ + 1; }
  int level(ir::Value v) const { return level_[v]; }
  bool varies(ir::Value v) const { return level_[v] == lane(); }
  /// Whether v is a control instruction whose bounds or condition are the same for all lanes of a row and whose body
  /// differs between lanes: it is placed outside the lane loop.
  bool surrounds_lanes(ir::Value v) const { return surrounds_lanes_[v]; }

 private:
  void visit_region(ir::RegionId region, int place);
  void visit(ir::Value v, int place);
  void visit_if(ir::Value v, int place);
  void visit_for(ir::Value v, int place);
  void visit_iterations(ir::Value v, int inside);
  void visit_while(ir::Value v, int place);
  void visit_reduce(ir::Value v, int place);
  bool varies_inside(ir::RegionId region) const;
  int load_level(ir::Value v, int place) const;
  int operand_level(ir::Value v) const;
  bool raise(ir::Value v, int to);
  bool raise_all(std::span<const ir::Value> values, std::span<const ir::Value> sources);
  void set_results(ir::Value v, std::vector<int> levels, int place);

  const ir::Kernel& kernel_;
  int first_lane_axis_;
  int row_;
  std::vector<int> level_;
  std::vector<bool> surrounds_lanes_;
  std::unordered_map<ir::Value, std::vector<int>> results_;  // levels of a control instruction's results
};

}  // namespace tessera::lanes
