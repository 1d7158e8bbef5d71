/// VoteLowering: votes and shuffles written as ballots and shuffles by index, for lanes of which some do not run.
#pragma once

#include <map>
#include <utility>

#include "tessera/lanes/schedule/rewriter.h"

namespace tessera::lanes {

class VoteLowering : public Rewriter {
 protected:
  using Rewriter::Rewriter;

  /// Writes what lane v learns at a meeting point; `mask` holds for the lanes that run, no_value: all. Every lane
  /// reaches it.
  Value lower_meeting(Value v, Value mask);
  Value both(Value a, Value b);
  Value truth() { return constant(Scalar::of_bool(true)); }

 private:
  Value lane_number();
  Value ballot(Value condition) { return write(ir::Opcode::ballot, DType::uint32, {condition}); }
  Value running(Value mask);
  Value lower_shuffle(const ir::Instruction& i, Value value, Value which, Value mask);
  Value source_lane(const ir::Instruction& i, Value which);
  Value lower_match(Value value, Value mask);
  Value shuffle_from(Value value, Value lane);

  Value lane_ = ir::no_value;  // in the body's region
  std::map<std::pair<Value, ir::RegionId>, Value> running_;
};

}  // namespace tessera::lanes
