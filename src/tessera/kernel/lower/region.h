/// Regions: branches, and the variables that they pass on.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/liveness.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Slots whose values a region passes on, with their types at the region's begin.
struct Passed {
  std::vector<int> slots;
  std::vector<Type> types;
};

/// What these statements assign and `live` has.
Passed passed_by(const Lowering& l, std::span<const Node> statements, const VariableSet& live);
/// What these statements assign and is read behind the current one.
Passed merged_after(const Lowering& l, std::span<const Node> statements);
/// Adds the flags that these jumps set.
void add_flags(const Lowering& l, const Jumps& jumps, Passed& passed);
/// The values of what is passed, as of the types at the region's begin.
std::vector<ir::Value> take(Lowering& l, const Passed& passed);
/// Sets what is passed to these values.
void give(Lowering& l, const Passed& passed, std::span<const ir::Value> values);
/// One body or the other, by the condition.
void branch(Lowering& l, ir::Value condition, const Passed& passed, const std::function<void()>& then_body,
            const std::function<void()>& else_body);
/// What comes later in the statement and has effects runs only where the condition holds.
void guard(Lowering& l, ir::Value condition);
/// The body, with regions that guards open in it, and what they pass on.
void guarded(Lowering& l, const std::function<Passed()>& passes, const std::function<void()>& body);

}  // namespace tessera::kernel
