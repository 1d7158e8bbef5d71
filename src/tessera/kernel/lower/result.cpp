#include "tessera/kernel/lower/result.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/types/conversion.h"
#include "tessera/kernel/values/array/whole.h"

namespace tessera::kernel {

namespace {

Item as_declared(Lowering& l, const Item& result, const Type& type) {
  const Type& own = result.type;
  const bool is_tuple = own->kind == TypeKind::tuple && own->kind == type->kind;
  if (is_tuple && own->elements.size() == type->elements.size()) {
    std::vector<Item> elements;
    for (size_t k = 0; k < type->elements.size(); ++k)
      elements.push_back(as_declared(l, element(result, k), type->elements[k]));
    return tuple_of(elements, own->names);
  }
  const bool narrows = own.is_scalar() && type.is_scalar() && is_complex(own->dtype) && !is_complex(type->dtype);
  if (own.is_scalar() && type.is_scalar() && !narrows) return l.convert(result, type);
  if (own->kind == TypeKind::object && own == type) return result;
  // Elements of containers are not converted: they are of the declared type, or of one that is not known yet.
  if (own.is_container() && own->kind == type->kind) {
    const Type known = l.known.infers() ? Type(type) : l.lists.resolved(own);
    const bool is_known = !known->elements.empty() && known->elements[0].is_scalar() && !type->elements.empty();
    if (!is_known || !type->elements[0].is_scalar() || known->elements[0] == type->elements[0]) return result;
  }
  l.fail(l.frame->function.tree,
         format("{} returns {}, its signature {}", l.frame->function.name(), describe(own), describe(type)),
         "the signature of what it returns, or none for the result");
}

/// What stands for something while compiling only, and is no text; null where there is none.
const Type* find_unreturnable(const Type& type) {
  if (type->kind == TypeKind::generator) return &type;
  const bool is_known_outside = type.is_entity(EntityKind::function) && !type->entity.function->inside;
  if (type->kind == TypeKind::entity && !is_text(type) && !type.is_entity(EntityKind::dtype) && !is_known_outside)
    return &type;
  for (const Type& element : type->elements)
    if (const Type* found = find_unreturnable(element)) return found;
  return nullptr;
}

/// The result with copies of arrays outside of the function, whose elements are constants here.
Item without_constants(Lowering& l, const Item& result) {
  const auto is_outside = [](const Type& array) { return array->is_constant; };
  if (result.type.is_array() && std::ranges::any_of(alternatives(result.type), is_outside))
    return copy_of(l, l.frame->function.tree, result);
  if (result.type->kind != TypeKind::tuple) return result;
  std::vector<Item> elements;
  for (size_t k = 0; k < result.type->elements.size(); ++k)
    elements.push_back(without_constants(l, element(result, k)));
  return joined_of({.kind = TypeKind::tuple,
                    .is_list = result.type->is_list,
                    .is_dict = result.type->is_dict,
                    .names = result.type->names},
                   elements);
}

}  // namespace

/// What the current function returns; of type none if that is nothing.
Item returned(Lowering& l) {
  const Type* type = type_of(l, l.frame->result_slot());
  if (!type) return {};
  const VariableValue& held = l.frame->values[l.frame->result_slot()];
  return held ? l.convert(*held, *type) : l.zero(*type);
}

bool may_end_without_result(const Lowering& l) {
  return l.options.is_function && !l.frame->caller && !always_jumps(l.frame->function.tree.body);
}

// The words of the results: whether there is one, then two for each scalar.
void store_result(Lowering& l, const Type* declared) {
  ir::Builder& b = l.b;
  if (!type_of(l, l.frame->result_slot())) return;
  Item result = returned(l);
  const bool is_optional = result.type->kind == TypeKind::optional;
  const ir::Value is_there = is_optional ? result.values[0] : ir::no_value;
  if (is_optional) result = held(result);
  if (declared && result.type->kind != TypeKind::none) result = as_declared(l, result, *declared);
  if (l.options.is_function) result = without_constants(l, result);
  l.result = l.lists.resolved(result.type);
  if (const Type* odd = find_unreturnable(l.result))
    l.fail(l.frame->function.tree, format("{} returns {}", l.frame->function.name(), describe(*odd)),
           "numbers, texts, arrays, and tuples and lists of them");
  const auto put = [&](int64_t word, ir::Value value) {
    b.store(l.memory.results(), value, std::vector{b.constant(Scalar::of_int(DType::int64, word))});
  };
  if (is_optional)
    put(0, b.cast(is_there, DType::int64));
  else
    put(0, may_end_without_result(l) ? b.cast(flag(l, l.frame->returned_slot()), DType::int64)
                                     : b.constant(DType::int64, 1));
  int64_t word = 1;
  const auto put_number = [&](int64_t at, ir::Value value) {
    const DType t = b.type(value);
    if (is_boolean(t) || is_integer(t)) return put(at, b.cast(value, DType::int64));
    if (l.options.is_device && word_dtype(t) == DType::float32)
      return put(at, b.cast(b.bitcast(b.cast(value, DType::float32), DType::uint32), DType::int64));
    put(at, b.bitcast(b.cast(value, DType::float64), DType::int64));
  };
  for (ir::Value value : result.values) {
    put_number(word, b.real(value));
    if (is_complex(b.type(value))) put_number(word + 1, b.imag(value));
    word += 2;
  }
}

}  // namespace tessera::kernel
