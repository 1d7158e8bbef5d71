// Objects of structures' types, which have fields and no __init__.
#include "tessera/kernel/values/object/object.h"

#include "tessera/kernel/builtins/builtins.h"

namespace tessera::kernel {

namespace {

Item lower_new(Lowering& l, const Builtin&, const Call& call) {
  const std::optional<Type> type = type_meant(call.args[0].type);
  if (!type || (*type)->kind != TypeKind::object)
    l.fail(call.node, format("new of {}", describe(call.args[0].type)), "a type that derives from types.StructRef");
  if (!l.options.is_function) l.refuse(call.node, format("an object of {} in a kernel", describe(*type)), "a tuple");
  return new_object(l, *type);
}

}  // namespace

void add_object_builtins(std::vector<Builtin>& table) { table.push_back({"object.new", "struct_type", lower_new}); }

}  // namespace tessera::kernel
