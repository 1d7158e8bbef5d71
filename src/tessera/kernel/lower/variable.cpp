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
  const auto found = l.known->variables.types.find(l.frame->key_of(slot));
  if (found == l.known->variables.types.end()) return nullptr;
  if (is_one) known = &found->second;
  return &found->second;
}

void set_flag(Lowering& l, int slot, bool value) {
  if (static_cast<size_t>(slot) >= l.frame->values.size()) l.frame->values.resize(slot + 1);
  l.frame->values[slot] = l.scalar(l.b.constant(Scalar::of_bool(value)));
}

ir::Value flag(const Lowering& l, int slot) { return l.frame->values[slot]->values[0]; }

Type widen(Lowering& l, const Node& node, const std::string& key, const Type& type) {
  const auto found = l.known->variables.types.find(key);
  if (found == l.known->variables.types.end()) {
    // Regions around the assignment have not passed the variable on.
    (l.frame->depth > 0 ? l.known.change() : l.known.add()).variables.types.emplace(key, type);
    return type;
  }
  const std::optional<Type> both = unify(found->second, type);
  if (!both) {
    const std::string name = key.substr(key.rfind('.') + 1);
    l.fail(node,
           format("{} is {} here and {} elsewhere", name == "return" ? "the returned value" : name, describe(type),
                  describe(found->second)),
           "a variable of its own for each type");
  }
  l.lists.join_lists(node, *both);
  if (*both != found->second) l.known.change().variables.types[key] = *both;
  return *both;
}

// A variable of which all other values are uint64 is uint64 beside constants that are not negative.
void assign(Lowering& l, const Node& node, int slot, const Item& item) {
  const std::string key = l.frame->key_of(slot);
  const Scalar* known = l.constant_of(item);
  const bool is_literal = known && is_signed_integer(known->dtype) && known->as_int() >= 0;
  const auto held = l.known->variables.types.find(key);
  Type type = item.type;
  if (held == l.known->variables.types.end()) {
    if (is_literal)
      l.known.add().variables.literals.insert(key);
    else
      l.known.add().variables.literals.erase(key);
  } else if (is_literal && held->second == Type::scalar(DType::uint64)) {
    type = held->second;
  } else if (type == Type::scalar(DType::uint64) && l.known->variables.literals.contains(key) && held->second != type) {
    l.known.change().variables.types[key] = type;
  } else if (!is_literal && l.known->variables.literals.contains(key)) {
    l.known.add().variables.literals.erase(key);
  }
  l.frame->values[slot] = l.convert(item, widen(l, node, key, type));
}

// A variable that no assignment has reached is zero.
Item read(Lowering& l, const Node& node, int variable) {
  if (l.frame->values[variable]) return *l.frame->values[variable];
  const Type* type = type_of(l, variable);
  if (!type) l.fail(node, format("{} is read before it is assigned", l.frame->liveness.name(variable)));
  return l.zero(*type);
}

}  // namespace tessera::kernel
