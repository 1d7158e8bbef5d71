/// The tests by which a loop detects that a floating-point event (status flag) may have happened.
#pragma once

#include <span>
#include <unordered_set>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Whether every event of the check leaves an infinity or a NaN in the result that it tests.
bool tests_result(const Kernel& kernel, const Instruction& check);

/// The checks among these instructions whose events are already detected by testing the results of other checks: every
/// event leaves an infinity or a NaN behind, and most arithmetic propagates those. The instructions run in order, all
/// of them. The elements of a watched reduction count as tested, because its result is.
std::unordered_set<Value> find_implied_checks(const Kernel& kernel, std::span<const Value> body);
/// Whether the instruction is a reduction whose result is infinite or NaN whenever one of its elements is.
bool is_watched_reduction(const Instruction& i);

}  // namespace tessera::ir
