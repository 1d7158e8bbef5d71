#include "tessera/ir/interpreter.h"

#include "tessera/ir/interpreter/lower.h"
#include "tessera/ir/interpreter/run.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

bool is_leaf(const Kernel& kernel, Value v) {
  const Opcode op = kernel.instructions[v].op;
  return info(op).form == OpcodeForm::leaf && op != Opcode::region_arg;
}

// Leaves belong to the body itself, where every region and frame can use them.
Kernel with_leaves_outside(const Kernel& kernel) {
  Kernel result = kernel;
  std::vector<Value> leaves;
  for (size_t r = 1; r < result.regions.size(); ++r) {
    std::vector<Value>& body = result.regions[r].body;
    for (Value v : body) {
      if (is_leaf(result, v)) leaves.push_back(v);
    }
    std::erase_if(body, [&](Value v) { return is_leaf(result, v); });
  }
  std::vector<Value>& body = result.regions[0].body;
  body.insert(body.begin(), leaves.begin(), leaves.end());
  return result;
}

}  // namespace

Program::Program(const Kernel& kernel) : impl_(std::make_unique<Impl>()) {
  if (kernel.regions.size() == 1) {
    Lowering(kernel, *impl_).run();
  } else {
    const Kernel hoisted = with_leaves_outside(kernel);
    Lowering(hoisted, *impl_).run();
  }
}

Program::~Program() = default;

void Program::run(const KernelArguments& arguments, const int64_t* begin, const int64_t* end) const {
  Run(*impl_, arguments, begin, end).run();
}

}  // namespace tessera::ir
