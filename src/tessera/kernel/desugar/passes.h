/// The passes of desugar.h, and what they have in common.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/function.h"

namespace tessera::kernel {

using Names = std::set<std::string>;

void desugar_nonlocals(Function& function);
void desugar_matches(Function& function);
void desugar_named_values(Function& function);
void desugar_with_blocks(Function& function);
void convert_typed_variables(Function& function, const Names& variables);
void name_versions(Function& function);
void desugar_expressions(Function& function);
void desugar_generators(Function& function);

/// Of that place alone: operands, names and blocks are not copied.
Node node_at(const Node& like, NodeKind kind, std::string name = "");
Node name_at(const Node& like, std::string name);
Node assignment_at(const Node& like, Node target, Node value);
Node not_at(const Node& like, Node value);
/// `if not test: break`, and the loop's condition is true from then on.
void stop_inside(Node& loop, std::vector<Node> before, Node test);

bool is_definition(const Node& node);  // by `def`
bool is_lambda(const Node& node);
/// Calls visit with the node and those in it, parents first; not with those inside of functions in it.
void visit_own(const Node& node, const std::function<void(const Node&)>& visit);
void visit_all(const Node& node, const std::function<void(const Node&)>& visit);
/// Adds the variables that a target assigns, in the order of the text.
void collect_targets(const Node& target, std::vector<std::string>& names);
/// The variables that the statement assigns by itself, not in its blocks.
std::vector<std::string> assigned_by(const Node& statement);
/// Whether a is left of b or in a line before.
bool precedes(const Place& a, const Place& b);

/// Replaces each statement of the block by what `rewrite` makes of it.
using Rewrite = std::function<std::vector<Node>(Node)>;
void rewrite_block(std::vector<Node>& block, const Rewrite& rewrite);
/// The same with the blocks in a statement, but for those of functions.
void rewrite_blocks_in(Node& statement, const Rewrite& rewrite);

/// What the language has not, in the function of this name. Throws CompileError.
[[noreturn]] void refuse_at(const Function& function, const Node& node, std::string_view what,
                            std::string_view instead);

}  // namespace tessera::kernel
