/// Panels: parts of an operand that all places need, so small that each has memory for one beside its own parts.
#pragma once

#include <functional>
#include <vector>

#include "tessera/graph/call.h"
#include "tessera/routines/calls.h"
#include "tessera/routines/kernel_launch.h"
#include "tessera/routines/parts.h"
#include "tessera/tile/ranges.h"

namespace tessera::engine {

/// By the operand's shape alone: its slabs along the parts' axis for one panel after the other; none where all of it
/// is short, or the parts have no panels.
std::vector<tile::Range> panels_of(const graph::Call& call, const routines::Parts& parts);

/// What a call with one panel makes: results themselves with the first of terms, else what is joined with them.
class OfPanel {
 public:
  OfPanel(const routines::Parts::Panels& how, const tile::Range& panel, const routines::Elements& result);
  bool is_result() const { return is_result_; }
  const View& view() const { return view_; }
  /// Joins what was made at `made` with the result.
  routines::KernelLaunch join(const char* made) const;
  /// The events of that, of results in host memory: `run` joins.
  uint32_t events(const char* made, uint32_t watched, const std::function<void()>& run) const;

 private:
  const bool adds_;
  const tile::Range panel_;
  const routines::Elements result_;
  bool is_result_;
  View view_;
};

}  // namespace tessera::engine
