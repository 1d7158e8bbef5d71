/// What single passes decide, as text for their tests.
#pragma once

#include <string>
#include <vector>

#include "tessera/plan/draft.h"
#include "tessera/plan/moves.h"

namespace tessera::plan {

/// After find_versions: who makes, reads and writes each version, and which nodes are not needed.
std::string print_versions(const Draft& draft);
/// After fuse_nodes: the groups, and how write nodes get their memory.
std::string print_groups(const Draft& draft);
/// After fuse_nodes that noted it: which nodes read another kernel's result, and why they are not in that kernel.
std::string print_apart(const Draft& draft);
/// After fuse_nodes: the nodes that should be computed later, and after which group's node.
std::string print_early_nodes(const Draft& draft);
/// After assign_slots: the slots and the node results in them.
std::string print_slots(const Draft& draft);
/// After schedule_memory: when each slot is in use, and the blocks.
std::string print_memory(const Plan& plan);
/// Which steps come after all others that touch a slot.
std::string print_order(const Plan& plan);
/// Copies, kernels and what was joined of them.
std::string print_moves(const std::vector<PlanPart>& parts);
/// After find_waves: the waves.
std::string print_waves(const Plan& plan);
/// The rows of each part of each wave when threads share it.
std::string print_shares(const Plan& plan, int threads);

}  // namespace tessera::plan
