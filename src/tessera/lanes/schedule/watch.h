/// What a loop must test to notice that a floating-point event may have happened.
#pragma once

#include <span>
#include <unordered_set>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// A check whose every event leaves an infinity or a NaN in the result it tests.
bool tests_result(const ir::Kernel& kernel, const ir::Instruction& check);

/// The checks among these instructions whose events cannot go unnoticed by testing the others' results: every event
/// leaves an infinity or a NaN behind, and most arithmetic hands those on. The instructions run in order, all of them.
/// The elements of a watched fold count as tested: its result is.
std::unordered_set<ir::Value> find_implied_checks(const ir::Kernel& kernel, std::span<const ir::Value> body);
/// Whether the fold's result is infinite or NaN whenever one of its elements is.
bool is_watched_reduction(const ir::Instruction& i);

}  // namespace tessera::lanes
