// Calls of functions in C whose addresses are known, without Python and its lock.
#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

/// call_address(result, address, type, argument, type, argument...): the result is a type, or None.
Item lower_call_address(Lowering& l, const Builtin&, const Call& call) {
  ir::Builder& b = l.b;
  if (!l.options.is_function) l.refuse(call.node, "a function in C", "a function with @jit");
  const Type& result = call.args[0].type;
  const bool returns = result.is_entity(EntityKind::dtype);
  const DType dtype = returns ? result->entity.value.dtype : DType::int64;
  std::vector<ir::Value> words{l.cast(call.args[1], DType::int64),
                               l.number(returns ? static_cast<int64_t>(dtype) : no_result),
                               l.number(static_cast<int64_t>(call.args.size()) / 2 - 1)};
  for (size_t k = 2; k < call.args.size(); k += 2) {
    const DType kind = call.args[k].type->entity.value.dtype;
    const Item& given = call.args[k + 1];
    const bool fits = given.type.is_scalar() && !given.type->unit && !is_complex(given.type->dtype) &&
                      (is_floating(kind) || !is_floating(given.type->dtype));
    if (!fits) l.fail(call.node, format("expected {} instead of {}", kind, describe(given.type)));
    words.push_back(l.number(static_cast<int64_t>(kind)));
    const ir::Value value = l.cast(given, kind);
    if (kind == DType::float32) {
      words.push_back(b.cast(b.bitcast(value, DType::int32), DType::int64));
    } else {
      words.push_back(kind == DType::float64 ? b.bitcast(value, DType::int64) : b.cast(value, DType::int64));
    }
  }
  const ir::Value made = call_host(l, HostFunction::call_address, words);
  if (!returns) return {};
  if (dtype == DType::float32) return l.scalar(b.bitcast(b.cast(made, DType::int32), DType::float32));
  return l.scalar(dtype == DType::float64 ? b.bitcast(made, dtype) : b.cast(made, dtype));
}

}  // namespace

void add_called_address_builtins(std::vector<Builtin>& table) {
  table.push_back({"foreign.call_address", "*", lower_call_address});
}

}  // namespace tessera::kernel
