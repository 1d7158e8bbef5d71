// Functions: the lanes that call one run it together, under their mask.
#include "tessera/ir/interpreter/lower.h"

namespace tessera::ir {

void Lowering::lower_function(Scope& scope) {
  std::vector<CellId> owned;  // arguments are never freed: the body may use them to its end
  for (Value arg : kernel_.regions[0].arg_values) out_.arguments.push_back(bind_argument(scope, arg, owned));
  scope.masked = 1;
  for (Value result : lower_region(scope, 0)) out_.results.push_back(find_lanes(scope, result));
}

void Lowering::lower_call(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  CallInfo call{.function = i.imm};
  for (Value operand : kernel_.operands(v)) call.arguments.push_back(find_lanes(scope, operand));
  call.results = define_results(scope, v);
  emit({.kind = StepKind::call, .side = static_cast<uint32_t>(out_.calls.size())});
  out_.calls.push_back(std::move(call));
}

}  // namespace tessera::ir
