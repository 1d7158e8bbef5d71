#include "tessera/kernel/passes/contract.h"

#include <optional>
#include <utility>
#include <vector>

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

class Contraction {
 public:
  explicit Contraction(ir::Kernel kernel)
      : kernel_(std::move(kernel)), uses_(kernel_.instructions.size()), region_(kernel_.instructions.size(), -1) {
    for (size_t r = 0; r < kernel_.regions.size(); ++r) {
      for (Value v : kernel_.regions[r].body) {
        region_[v] = static_cast<int64_t>(r);
        for (Value used : kernel_.operands(v)) ++uses_[used];
      }
    }
  }

  ir::Kernel take() {
    for (size_t r = 0; r < kernel_.regions.size(); ++r) contract_region(r);
    return ir::compact(kernel_);
  }

 private:
  void contract_region(size_t r) {
    std::vector<Value> body;
    for (Value v : std::vector<Value>(kernel_.regions[r].body)) {
      contract(v, body);
      body.push_back(v);
    }
    kernel_.regions[r].body = std::move(body);
  }

  void contract(Value v, std::vector<Value>& body) {
    const Opcode op = kernel_.instructions[v].op;
    if (op != Opcode::add && op != Opcode::sub) return;
    const Value x = kernel_.operands(v)[0], y = kernel_.operands(v)[1];
    if (is_product(x, v)) {
      replace(v, factors(x), op == Opcode::add ? y : negated(y, body));
    } else if (is_product(y, v)) {
      auto [a, b] = factors(y);
      replace(v, {op == Opcode::add ? a : negated(a, body), b}, x);
    }
  }

  /// Whether `value` is a product of machine numbers that only `user`, in the same region, uses.
  bool is_product(Value value, Value user) const {
    const ir::Instruction& i = kernel_.instructions[value];
    return i.op == Opcode::mul && (i.type == DType::float32 || i.type == DType::float64) && uses_[value] == 1 &&
           region_[value] == region_[user];
  }

  std::pair<Value, Value> factors(Value product) const {
    return {kernel_.operands(product)[0], kernel_.operands(product)[1]};
  }

  Value negated(Value value, std::vector<Value>& body) {
    const DType type = kernel_.instructions[value].type;
    const Value made = static_cast<Value>(kernel_.instructions.size());
    kernel_.instructions.push_back(
        {.op = Opcode::neg, .type = type, .first_arg = static_cast<uint32_t>(kernel_.args.size()), .arg_count = 1});
    kernel_.args.push_back(value);
    body.push_back(made);
    return made;
  }

  void replace(Value v, std::pair<Value, Value> product, Value added) {
    ir::Instruction& i = kernel_.instructions[v];
    i.op = Opcode::fma;
    i.first_arg = static_cast<uint32_t>(kernel_.args.size());
    i.arg_count = 3;
    kernel_.args.insert(kernel_.args.end(), {product.first, product.second, added});
  }

  ir::Kernel kernel_;
  std::vector<int> uses_;        // of the instructions that were there first
  std::vector<int64_t> region_;  // where each of them stands
};

}  // namespace

ir::Kernel contract_products(ir::Kernel kernel) { return Contraction(std::move(kernel)).take(); }

}  // namespace tessera::kernel
