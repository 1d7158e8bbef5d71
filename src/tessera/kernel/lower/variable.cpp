#include "tessera/kernel/lower/variable.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/types/conversion.h"

namespace tessera::kernel {

const Type* type_of(const Lowering& l, int slot) {
  static const Type flag_type = Type::scalar(DType::boolean);
  if (slot == l.frame->returned_slot() || slot > l.frame->result_slot()) return &flag_type;
  const bool is_one = !l.frame->unrolled.contains(slot);
  const Type*& known = l.frame->types.at(static_cast<size_t>(slot));
  if (is_one && known) return known;
  const typed::Variable* const found = l.known->variables.find(l.frame->key_of(slot));
  if (found && is_one) known = &found->type;
  return found ? &found->type : nullptr;
}

void set_flag(Lowering& l, int slot, bool value) {
  if (static_cast<size_t>(slot) >= l.frame->values.size()) l.frame->values.resize(slot + 1);
  l.frame->values[slot] = l.scalar(l.b.constant(Scalar::of_bool(value)));
}

ir::Value flag(const Lowering& l, int slot) { return l.frame->values[slot]->values[0]; }

/// Whether regions around the first assignment of a variable would have passed it on.
bool is_missed(const Lowering& l, int slot) {
  if (slot == typed::value_slot) return false;
  const bool is_special = l.parallel.depth() > 0 || l.frame->tries > 0 || slot >= l.frame->returned_slot();
  return is_special || l.frame->unpassed.has(slot);
}

Type widen(Lowering& l, const Node& node, const typed::VariableKey& key, std::string_view name, const Type& type) {
  const typed::Variable* const found = l.known->variables.find(key);
  if (!found) {
    typed::Program& program = l.frame->depth == 0      ? l.known.add()
                              : is_missed(l, key.slot) ? l.known.change()
                                                       : l.known.begin();
    program.variables.found[key] = {std::string(name), type};
    return type;
  }
  if (found->type == type) return type;
  const std::optional<Type> both = unify(found->type, type);
  if (!both)
    l.fail(node, format("{} is {} here and {} elsewhere", name, describe(type), describe(found->type)),
           "a variable of its own for each type");
  l.lists.join_lists(node, *both);
  if (*both != found->type) l.known.change().variables.found[key].type = *both;
  return *both;
}

// A variable of which all other values are uint64 is uint64 beside constants that are not negative.
void assign(Lowering& l, const Node& node, int slot, const Item& item) {
  const typed::VariableKey key = l.frame->key_of(slot);
  const std::string_view name = slot == l.frame->result_slot() ? typed::result_name : l.frame->liveness.name(slot);
  const Scalar* known = l.constant_of(item);
  const bool is_literal = known && is_signed_integer(known->dtype) && known->as_int() >= 0;
  const typed::Variable* const held = l.known->variables.find(key);
  const bool were_literals = held && held->is_literal;
  const Type unsigned_type = Type::scalar(DType::uint64);
  Type type = item.type;
  if (is_literal && held && held->type == unsigned_type) type = unsigned_type;
  const bool becomes_unsigned = were_literals && type == unsigned_type && held->type != type;
  if (becomes_unsigned) l.known.change().variables.found[key].type = type;
  type = widen(l, node, key, name, type);
  if (!held ? is_literal : were_literals && !is_literal && !becomes_unsigned)
    l.known.add().variables.found[key].is_literal = is_literal;
  l.frame->values[slot] = l.convert(item, type);
}

// A variable that no assignment has reached is zero.
Item read(Lowering& l, const Node& node, int variable) {
  if (l.frame->values[variable]) return *l.frame->values[variable];
  const Type* type = type_of(l, variable);
  if (!type) l.fail(node, format("{} is read before it is assigned", l.frame->liveness.name(variable)));
  return l.zero(*type);
}

}  // namespace tessera::kernel
