#include "tessera/kernel/desugar/desugar.h"

#include "tessera/base/error.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

/// The kinds of nodes that are there, so that a pass that has nothing to do takes no time.
std::set<NodeKind> kinds_of(const Node& tree) {
  std::set<NodeKind> kinds;
  visit_all(tree, [&](const Node& node) { kinds.insert(node.kind); });
  return kinds;
}

}  // namespace

void desugar(Function& function, const std::set<std::string>& converted) {
  const std::set<NodeKind> kinds = kinds_of(function.tree);
  if (kinds.contains(NodeKind::match_)) desugar_matches(function);
  if (kinds.contains(NodeKind::nonlocal_)) desugar_nonlocals(function);
  if (kinds.contains(NodeKind::named)) desugar_named_values(function);
  if (kinds.contains(NodeKind::with_)) desugar_with_blocks(function);
  if (!converted.empty()) convert_typed_variables(function, converted);
  name_versions(function);
  desugar_expressions(function);
  for (NodeKind kind : kinds_of(function.tree))
    invariant(!is_sugar(kind), "kernel: {} is still there", tessera::kernel::name(kind));
}

}  // namespace tessera::kernel
