#include "tessera/kernel/desugar/desugar.h"

#include <bitset>

#include "tessera/base/error.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

using Kinds = std::bitset<static_cast<size_t>(NodeKind::unsupported) + 1>;

/// The kinds of nodes that are there, so that a pass that has nothing to do takes no time.
Kinds kinds_of(const Node& tree) {
  Kinds kinds;
  visit_all(tree, [&](const Node& node) { kinds.set(static_cast<size_t>(node.kind)); });
  return kinds;
}

}  // namespace

void desugar(Function& function, const std::set<std::string>& converted) {
  const Kinds kinds = kinds_of(function.tree);
  const auto has = [&](NodeKind kind) { return kinds[static_cast<size_t>(kind)]; };
  if (has(NodeKind::match_)) desugar_matches(function);
  if (has(NodeKind::nonlocal_)) desugar_nonlocals(function);
  if (has(NodeKind::named)) desugar_named_values(function);
  if (has(NodeKind::with_)) desugar_with_blocks(function);
  if (!converted.empty()) convert_typed_variables(function, converted);
  name_versions(function);
  desugar_expressions(function);
  if (has(NodeKind::yield_) || has(NodeKind::comprehension)) desugar_generators(function);
  const Kinds left = kinds_of(function.tree);
  for (size_t k = 0; k < left.size(); ++k)
    invariant(!left[k] || !is_sugar(static_cast<NodeKind>(k)), "kernel: {} is still there",
              tessera::kernel::name(static_cast<NodeKind>(k)));
}

}  // namespace tessera::kernel
