// Methods of lists that are not written in Python.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/list/list.h"

namespace tessera::kernel {

namespace {

Item lower_append(Lowering& l, const Builtin&, const Call& call) {
  l.lists.append(call.node, call.args[0], call.args[1]);
  return {};
}

Item lower_clear(Lowering& l, const Builtin&, const Call& call) {
  shorten_list(l, call.args[0], l.constant(0).values[0]);
  return {};
}

// The elements behind this length are taken away.
Item lower_shorten(Lowering& l, const Builtin&, const Call& call) {
  shorten_list(l, call.args[0], l.cast(call.args[1], DType::int64));
  return {};
}

Item lower_delete(Lowering& l, const Builtin&, const Call& call) {
  const Item &list = call.args[0], &index = call.args[1];
  if (index.type->kind != TypeKind::slice) return call_library(l, call.node, "list.delete", {list, index});
  return call_library(l, call.node, "list.delete_slice",
                      {list, element(index, 0), element(index, 1), element(index, 2)});
}

Item lower_at(Lowering& l, const Builtin&, const Call& call) {
  const Type& place = call.args[1].type;
  if (!place.is_scalar() || !(is_integer(place->dtype) || is_boolean(place->dtype)))
    l.fail(call.node, format("the place of an element of a list is an integer, not {}", describe(place)),
           "an integer, as int(x) makes one");
  return list_element(l, call.args[0], l.cast(call.args[1], DType::int64));
}

Item lower_same(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(equal_elements(l, call.node, call.args[0], call.args[1]));
}

}  // namespace

void add_list_builtins(std::vector<Builtin>& table) {
  table.push_back({"list.append", "list object", lower_append});
  table.push_back({"list.clear", "list", lower_clear});
  table.push_back({"list.at", "list place", lower_at});
  table.push_back({"list.same", "x y", lower_same});
  table.push_back({"list.__delitem__", "list index", lower_delete});
  table.push_back({"list.shorten", "list length", lower_shorten});
}

}  // namespace tessera::kernel
